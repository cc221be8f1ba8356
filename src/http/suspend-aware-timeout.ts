/** Interval between looks at the clock. */
const tickMs = 250;

/**
 * Calls `then` once this process has run for `ms`; returns a function that cancels it. A suspension of the process or machine counts as
 * half a second at most: an answer that arrived meanwhile is unread in its socket, but was not late.
 */
export function suspendAwareTimeout(ms: number, then: () => void): () => void {
  const everyMs = Math.max(1, Math.min(tickMs, ms / 8));
  let awakeMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    awakeMs += Math.min(nowMs - lastMs, 2 * everyMs);
    lastMs = nowMs;
    if (awakeMs < ms) return;
    clearInterval(timer);
    then();
  }, everyMs);
  return () => clearInterval(timer);
}
