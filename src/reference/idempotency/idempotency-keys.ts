import type { Behaviour, Remembered, World } from '../instance.js';

/** Remembers creates by tenant, route and key; the oldest are forgotten beyond 100,000 or after a day. */
export function rememberKeys({ apply }: Behaviour): World['remembered'] {
  const kept = apply('keysKept', { count: 100_000, ms: 24 * 3_600_000 });
  const entries = new Map<string, { readonly atMs: number; readonly entry: Remembered }>();
  return {
    get(name) {
      const known = entries.get(name);
      if (known !== undefined && Date.now() - known.atMs <= kept.ms) return known.entry;
      entries.delete(name);
      return undefined;
    },
    set(name, entry) {
      entries.delete(name);
      entries.set(name, { atMs: Date.now(), entry });
      for (const oldest of entries.keys()) {
        if (entries.size <= kept.count) break;
        entries.delete(oldest);
      }
    },
    delete: (name) => void entries.delete(name),
  };
}
