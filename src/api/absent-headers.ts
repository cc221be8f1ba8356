import type { DeclaredHeader } from '../openapi/response-headers.js';
import type { Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';

/**
 * Headers that successes declare and never carry. OpenAPI calls a header optional unless `required` says otherwise, so a declaration
 * that says nothing is a promise in words only: worth a warning, where not one answer keeps it, and never a failure.
 */
export class AbsentHeaders {
  readonly #never = new Map<string, { readonly name: string; readonly exchange: Exchange }>();
  readonly #seen = new Set<string>();

  /** Takes note of one answer; `place` is its operation and status. */
  see(exchange: Exchange, place: string, declared: readonly DeclaredHeader[]): void {
    const status = exchange.response?.status ?? 0;
    if (status < 200 || status > 299) return;
    for (const { name, required } of declared) {
      const entry = `${place} ${name}`;
      if (exchange.response?.headers.some(([sent]) => sent === name) === true) this.#seen.add(entry);
      else if (required === null && !this.#never.has(entry)) this.#never.set(entry, { name, exchange });
    }
  }

  /** Warns of each header that was never there. */
  tell(check: Check): void {
    for (const [entry, { name, exchange }] of this.#never) {
      if (this.#seen.has(entry)) continue;
      check.warn({
        expected: `the declared header ${name}`,
        actual: `${describe(exchange)}: no answer of this kind has it, and its declaration does not say that it may be left out`,
        exchanges: [exchange],
      });
    }
  }
}
