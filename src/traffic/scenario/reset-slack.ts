/** How much later than advertised a request leaves: a limiter that counts in whole seconds may be one late. */
export const resetSlackSeconds = 1.05;
