const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether load may be sent to this URL: loopback always, any other host only where ALLOW_LOAD names it (with or without its port). */
export function allowedToLoad(url: string, allowLoad: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, host } = new URL(url);
  return (
    loopback.test(hostname.toLowerCase()) ||
    allowLoad.some((name) => name === hostname.toLowerCase() || name === host.toLowerCase())
  );
}

/** The most requests and seconds one drive may be asked for. */
export const driveBounds = { requests: 5_000_000, seconds: 86_400 } as const;

/** Throws RangeError where a drive would be larger than `driveBounds` or is no drive at all. */
export function assertBounded(count: number, seconds: number, connections: number): void {
  const whole = Number.isInteger(count) && Number.isInteger(connections);
  if (!whole || count < 1 || count > driveBounds.requests)
    throw new RangeError(`a drive of ${count} requests: expected 1 to ${driveBounds.requests}`);
  if (!(seconds >= 0) || seconds > driveBounds.seconds)
    throw new RangeError(`a drive of ${seconds} s: expected at most ${driveBounds.seconds} s`);
  if (connections < 1 || connections > 2_000) throw new RangeError(`${connections} connections: expected 1 to 2000`);
}
