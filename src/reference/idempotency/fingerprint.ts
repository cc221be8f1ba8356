import { createHash } from 'node:crypto';
import type { Behaviour } from '../instance.js';

const deepest = 60;

/** A value with its keys in order, or undefined where it is nested too deeply to be worth it. */
function canonical(value: unknown, depth: number): string | undefined {
  if (depth > deepest) return undefined;
  if (Array.isArray(value)) {
    const parts = value.map((one) => canonical(one, depth + 1));
    return parts.includes(undefined) ? undefined : `[${parts.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [JSON.stringify(name), canonical(one, depth + 1)]);
  return parts.some(([, one]) => one === undefined) ? undefined : `{${parts.map((part) => part.join(':')).join(',')}}`;
}

/** Tells bodies apart, whatever the order of their keys and their blanks. */
export function fingerprint(value: unknown, raw: Buffer): string {
  return createHash('sha256')
    .update(canonical(value, 0) ?? raw)
    .digest('base64url');
}

/** Whether a register refuses this value: one in `oneIn`, chosen by its hash, whatever the order of its keys. */
export function isRegistered(value: unknown, oneIn: number, { option }: Behaviour): boolean {
  const hash = createHash('sha256')
    .update(canonical(value, 0) ?? '')
    .digest();
  return option('registers') === 'some' && hash.readUInt32BE(0) % oneIn === 0;
}
