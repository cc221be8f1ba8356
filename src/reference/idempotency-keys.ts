import type { ApiFailure } from './api-failure.js';
import type { Behaviour } from './behaviour.js';

/** What a create came to. */
export interface Outcome {
  readonly status: number;
  readonly record: { readonly id: string };
}

/** What is remembered under one key. */
export interface Remembered {
  readonly tenant: string;
  readonly fingerprint: string;
  /** Settles when the create is done; null once it is. */
  pending: Promise<Outcome> | null;
  outcome: Outcome | null;
  refusal: ApiFailure | null;
  poisoned: boolean;
  replays: number;
}

const most = 100_000;
const keptForMs = 24 * 3_600_000;

/** Remembers creates by tenant, route and key; the oldest are forgotten beyond 100,000 or after a day. */
export class IdempotencyKeys {
  readonly #entries = new Map<string, { readonly atMs: number; readonly entry: Remembered }>();
  readonly #behaviour: Behaviour;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** The name under which a key is remembered. */
  nameOf(tenant: string, route: string, key: string): string {
    const { has } = this.#behaviour;
    let text = key;
    if (has('key-compared-by-eight')) text = text.slice(0, 8);
    if (has('key-loses-last-character')) text = text.slice(0, -1);
    if (has('key-loses-first-block')) text = text.slice(8);
    if (has('key-loses-fourth-block')) text = text.slice(0, 19) + text.slice(23);
    if (has('key-loses-version')) text = text.slice(0, 14) + text.slice(15);
    const shared =
      (has('unit-key-shared-across-tenants') && route === 'units') ||
      has('key-shared-across-tenants') ||
      has('key-blocks-other-tenant');
    return [shared ? '' : tenant, has('key-shared-across-routes') ? '' : route, text].join('\n');
  }

  get(name: string): Remembered | undefined {
    const known = this.#entries.get(name);
    if (known === undefined) return undefined;
    const keptMs = this.#behaviour.has('key-kept-for-a-second') ? 1_000 : keptForMs;
    if (Date.now() - known.atMs <= keptMs) return known.entry;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, entry: Remembered): void {
    this.#entries.delete(name);
    this.#entries.set(name, { atMs: Date.now(), entry });
    const { has } = this.#behaviour;
    const limits = { 'key-kept-for-twelve': 12, 'key-kept-for-forty': 40, 'key-kept-for-two-hundred': 200 } as const;
    const limit = Object.entries(limits).find(([id]) => has(id as keyof typeof limits))?.[1] ?? most;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= limit) break;
      this.#entries.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }
}
