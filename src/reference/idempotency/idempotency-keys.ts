import type { Behaviour, Remembered } from '../instance.js';

/** Remembers creates by tenant, route and key; the oldest are forgotten beyond 100,000 or after a day. */
export class IdempotencyKeys {
  readonly #entries = new Map<string, { readonly atMs: number; readonly entry: Remembered }>();
  readonly #kept: { readonly count: number; readonly ms: number };

  constructor(behaviour: Behaviour) {
    this.#kept = behaviour.apply('keysKept', { count: 100_000, ms: 24 * 3_600_000 });
  }

  get(name: string): Remembered | undefined {
    const known = this.#entries.get(name);
    if (known === undefined) return undefined;
    if (Date.now() - known.atMs <= this.#kept.ms) return known.entry;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, entry: Remembered): void {
    this.#entries.delete(name);
    this.#entries.set(name, { atMs: Date.now(), entry });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#kept.count) break;
      this.#entries.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }
}
