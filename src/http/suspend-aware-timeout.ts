/** How often time is looked at while waiting. */
const tickMs = 250;

/**
 * Calls `then` once this process has been awake for `ms`, and returns what calls it off. Time in which the process or its machine stood still
 * counts as half a second at most: an answer that came meanwhile lies unread in its socket, and whoever it is from was not late.
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
