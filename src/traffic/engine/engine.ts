import { type Connection, type ConnectionOptions, openConnection } from './connection.js';

/** The options of a pool of connections. Requests use the path of the URL unless a shape names another. */
export interface EngineOptions extends ConnectionOptions {
  readonly connections: number;
  /** A request without its whole answer by then is a timeout, and its connection is dropped. */
  readonly timeoutMs: number;
}

/** Open connections that send nothing of their own accord. */
export interface Engine {
  /** A connection that is established and idle, in turn, or null. */
  take(): Connection | null;
  /** Hears each time a connection becomes free. */
  onFree: () => void;
  /** Whether this process stood still at some time between two instants, so that what happened then was seen late. */
  stoodStill(fromMs: number, toMs: number): boolean;
  /** How long it stood still, all together. */
  readonly standstillMs: () => number;
  /** The last reason why a connection could not be opened, or null. */
  readonly connectError: () => string | null;
  close(): void;
}

/** Among connections idle for longer than this, the last used one is taken: the server may be about to close the others. */
const inTurnMs = 1_000;
const sweepMs = 20;
/** Timers that fire this late show that the process stood still: it was suspended, or its machine was. */
const standstillMs = 250;
/** After a long standstill, answers are still unread in their sockets: no request times out for this long. */
const sparedMs = 1_000;
/** In how many sweeps all connections are renewed: half a second, which is half of what a server's word on its patience leaves. */
const sweepsToRenew = 25;

/** Opens the pool and waits until every connection stands, or `patienceMs` have passed. */
export async function openEngine(options: EngineOptions, patienceMs = 5_000): Promise<Engine> {
  const pool: Connection[] = [];
  const free: Connection[] = [];
  let established = (): void => undefined;
  const engine: Engine = {
    onFree: () => undefined,
    take() {
      const now = performance.now();
      // In turn, so that a limit kept for each connection, or by one of several workers, shows in a slower stream as well.
      const next = free.findIndex(
        (connection) =>
          connection.isIdle() && now - connection.idleSinceMs() < Math.min(inTurnMs, connection.idleLimitMs()),
      );
      const [inTurn] = next < 0 ? [] : free.splice(next, 1);
      if (inTurn !== undefined) return inTurn;
      for (let connection = free.pop(); connection !== undefined; connection = free.pop()) {
        if (connection.isIdle() && now - connection.idleSinceMs() < connection.idleLimitMs()) return connection;
        if (connection.isIdle()) connection.reset();
      }
      return null;
    },
    stoodStill(fromMs, toMs) {
      look();
      return standstills.some((one) => one.fromMs < toMs && one.toMs > fromMs);
    },
    standstillMs: () => standstills.reduce((sum, one) => sum + one.toMs - one.fromMs, 0),
    connectError: () => pool.map((connection) => connection.lastError()).find((error) => error !== null) ?? null,
    close() {
      clearInterval(sweep);
      engine.onFree = () => undefined;
      for (const connection of pool) connection.close();
    },
  };
  for (let at = 0; at < options.connections; at += 1)
    pool.push(
      openConnection(options, (connection) => {
        if (free.length > 2 * options.connections)
          free.splice(0, free.length, ...new Set(free.filter((one) => one.isIdle())));
        free.push(connection);
        established();
        engine.onFree();
      }),
    );
  const standstills: { readonly fromMs: number; readonly toMs: number }[] = [];
  let lookedMs = performance.now();
  let sparedUntilMs = 0;
  const look = (): number => {
    const now = performance.now();
    if (now - lookedMs >= standstillMs) standstills.push({ fromMs: lookedMs, toMs: now });
    if (now - lookedMs >= sparedMs) sparedUntilMs = now + sparedMs;
    lookedMs = now;
    return now;
  };
  const sweep = setInterval(() => {
    const now = look();
    for (const connection of now < sparedUntilMs ? [] : pool) {
      if (connection.sentMs() !== null && now - (connection.sentMs() ?? now) >= options.timeoutMs) connection.timeOut();
    }
    // Idle connections are renewed before the other side gives them up, a few at a time: most of them can always be used, and to connect
    // takes no slot its time.
    const stale = free
      .filter((connection) => connection.isIdle() && now - connection.idleSinceMs() >= connection.idleLimitMs())
      .slice(0, Math.ceil(options.connections / sweepsToRenew));
    for (const connection of stale) connection.reset();
    if (stale.length > 0) free.splice(0, free.length, ...free.filter((connection) => connection.isIdle()));
  }, sweepMs);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    established = () => {
      if (new Set(free).size < options.connections) return;
      clearTimeout(timer);
      resolve();
    };
    established();
  });
  established = () => undefined;
  return engine;
}
