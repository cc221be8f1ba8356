import { ownWords } from './describe.js';
import { header, type Exchange } from './exchange.js';

/** Keeps the suite below the target's limits, by the target's own RateLimit headers. */
export interface Pacer {
  before(bucket: string): Promise<void>;
  after(bucket: string, exchange: Exchange): void;
  /** Waits until a refused request may be repeated; a sentence when waiting is of no use. */
  waitOut(bucket: string, exchange: Exchange, attempt: number): Promise<string | null>;
  /** Milliseconds in which something waited; what waits side by side is waited for once. */
  readonly waitedMs: number;
}

const longestWaitSeconds = 65;
const attempts = 3;

function seconds(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : null;
}

/** A pacer that waits at most `budgetMs` in a run; `now` is a monotonic clock in milliseconds. */
export function createPacer(
  budgetMs: number,
  wait: (ms: number) => Promise<unknown>,
  now: () => number = () => performance.now(),
): Pacer {
  let waitedMs = 0;
  let waitingUntil = 0;
  /** Extends the total wait by this many milliseconds, beyond waits already under way. */
  const added = (ms: number): number => Math.max(0, now() + ms - Math.max(now(), waitingUntil));
  const hopeless = new Map<string, string>();
  const notBefore = new Map<string, number>();
  const spent = async (ms: number): Promise<void> => {
    waitedMs += added(ms);
    waitingUntil = Math.max(waitingUntil, now() + ms);
    await wait(ms);
  };
  return {
    get waitedMs() {
      return waitedMs;
    },
    async before(bucket) {
      const ms = (notBefore.get(bucket) ?? 0) - now();
      if (ms > 0 && waitedMs + added(ms) <= budgetMs) await spent(ms);
    },
    after(bucket, exchange) {
      const remaining = seconds(header(exchange, 'ratelimit-remaining'));
      const reset = seconds(header(exchange, 'ratelimit-reset'));
      // A short wait costs less than a refusal; a long one is left to the refusal, as the header may not be the whole truth.
      if (remaining === 0 && reset !== null && reset <= 2) notBefore.set(bucket, now() + reset * 1000);
    },
    async waitOut(bucket, exchange, attempt) {
      const known = hopeless.get(bucket);
      if (known !== undefined) return known;
      const advised = seconds(header(exchange, 'retry-after')) ?? seconds(header(exchange, 'ratelimit-reset'));
      const ms = Math.min(advised ?? [1, 5, 61][attempt] ?? 61, longestWaitSeconds) * 1000 + 50;
      const overBudget = waitedMs + added(ms) > budgetMs;
      if (attempt >= attempts || overBudget) {
        // Another limit than that of the headers refuses: a lock, a queue, a gateway's own.
        const remaining = seconds(header(exchange, 'ratelimit-remaining')) ?? 0;
        const advice =
          remaining > 0
            ? `; it says "${ownWords(exchange)}" though RateLimit-Remaining is ${remaining}, so no rate limit of the key refuses: look there for the reason`
            : overBudget
              ? '; use a key with a higher limit'
              : '';
        const why = overBudget
          ? `the target kept answering 429 to ${bucket}: ${advised === null ? '' : `it asks to wait ${advised} s, `}${Math.round(waitedMs / 1000)} s were spent waiting, and this run waits at most ${Math.round(budgetMs / 1000)} s in all`
          : `the target kept answering 429 to ${bucket} (${attempt + 1} times in a row, waiting each time as long as it asked for)`;
        const reason = `${why}${advice}`;
        hopeless.set(bucket, reason);
        return reason;
      }
      notBefore.set(bucket, now() + ms);
      await spent(ms);
      return null;
    },
  };
}
