import { setTimeout as sleep } from 'node:timers/promises';
import { header } from './exchange.js';
import type { Exchange } from './exchange.js';

/** Keeps the suite below the target's limits, by the target's own RateLimit headers. */
export interface Pacer {
  before(bucket: string): Promise<void>;
  after(bucket: string, exchange: Exchange): void;
  /** Waits until a refused request may be repeated; a sentence when waiting is of no use. */
  waitOut(bucket: string, exchange: Exchange, attempt: number): Promise<string | null>;
  /** Milliseconds spent waiting. */
  readonly waitedMs: number;
}

const longestWaitSeconds = 65;
const attempts = 3;

function seconds(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : null;
}

/** A pacer that waits at most `budgetMs` in a run. */
export function createPacer(budgetMs: number, wait: (ms: number) => Promise<unknown> = sleep): Pacer {
  let waitedMs = 0;
  const hopeless = new Map<string, string>();
  const notBefore = new Map<string, number>();
  const spent = async (ms: number): Promise<void> => {
    waitedMs += ms;
    await wait(ms);
  };
  return {
    get waitedMs() {
      return waitedMs;
    },
    async before(bucket) {
      const until = notBefore.get(bucket);
      if (until === undefined) return;
      notBefore.delete(bucket);
      const ms = until - performance.now();
      if (ms > 0 && waitedMs + ms <= budgetMs) await spent(ms);
    },
    after(bucket, exchange) {
      const remaining = seconds(header(exchange, 'ratelimit-remaining'));
      const reset = seconds(header(exchange, 'ratelimit-reset'));
      // A short wait costs less than a refusal; a long one is left to the refusal, as the header may not be the whole truth.
      if (remaining === 0 && reset !== null && reset <= 2) notBefore.set(bucket, performance.now() + reset * 1000);
    },
    async waitOut(bucket, exchange, attempt) {
      const known = hopeless.get(bucket);
      if (known !== undefined) return known;
      const told = seconds(header(exchange, 'retry-after')) ?? seconds(header(exchange, 'ratelimit-reset'));
      const ms = Math.min(told ?? [1, 5, 61][attempt] ?? 61, longestWaitSeconds) * 1000 + 50;
      if (attempt >= attempts || waitedMs + ms > budgetMs) {
        const reason = `the target kept answering 429 to ${bucket} (${attempt + 1} times in a row, ${Math.round(waitedMs / 1000)} s waited)`;
        hopeless.set(bucket, reason);
        return reason;
      }
      await spent(ms);
      return null;
    },
  };
}
