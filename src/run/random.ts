import { createHash } from 'node:crypto';

/** A 32-bit seed for one purpose of a run, so that checks do not disturb each other's randomness. */
export function seedFor(seed: number, purpose: string): number {
  return createHash('sha256').update(`${seed}:${purpose}`).digest().readUInt32BE(0);
}

/** A UUID (version 4 form) decided by a nonce and a label: fresh in every run, the same when a run's record is judged again. */
export function uuidFor(nonce: string, label: string): string {
  const bytes = createHash('sha256').update(`${nonce}:${label}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from `from` to `to`, drawn from the run's seed for one purpose. */
export function integerFor(seed: number, purpose: string, from: number, to: number): number {
  return from + Math.floor(randomFrom(seedFor(seed, purpose))() * (to - from + 1));
}
