import { createHash } from 'node:crypto';

export const uuid = (kind: string, n: number): string => {
  const h = createHash('sha256').update(`${kind}:${n}`).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
};
export const numeric = (kind: string, n: number): string =>
  String((kind === 'unit' ? 100_000 : kind === 'lead' ? 7_000_000 : 400) + n);
export const slug = (kind: string, n: number): string =>
  `${kind === 'unit' ? 'ford-ranger' : kind}-${2010 + (n % 15)}-${n}`;
export const prefixed = (kind: string, n: number): string =>
  `${kind.slice(0, 3)}_${createHash('sha1').update(`${kind}${n}`).digest('hex').toUpperCase().slice(0, 16)}`;
export const punctuated = (kind: string, n: number): string =>
  `${kind === 'unit' ? 'NV' : kind}:${String(n).padStart(4, '0')}.a~1`;
export const spaced = (kind: string, n: number): string => `${kind === 'unit' ? 'Hof' : kind} ${n}/ä+${n % 7}`;
