import { createHmac } from 'node:crypto';
import type { Product } from '../certification/product.js';

/** The nonce of a product for a month (`YYYY-MM`): whoever has the secret can tell that it was issued, without a list of those that were. */
export function issueNonce(secret: string, { vendor, product }: Product, month: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([vendor, product, month]))
    .digest('hex');
}

/** The months, such as `2026-11`, of the last `days` days. */
export function monthsBack(now: Date, days: number): string[] {
  const all = Array.from({ length: days + 1 }, (_, ago) => new Date(now.getTime() - ago * 86_400_000));
  return [...new Set(all.map((day) => day.toISOString().slice(0, 7)))];
}
