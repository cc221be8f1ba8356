import { createHash } from 'node:crypto';
import { between, pick, randomFrom } from '../random.js';
import type { Deal, Unit } from './records.js';

const cache = new WeakMap<readonly Unit[], readonly Deal[]>();

/** Deals over the given units, oldest first; the same for the same units, made once. */
export function seedDeals(units: readonly Unit[], count: number): readonly Deal[] {
  const known = cache.get(units);
  if (known) return known;
  const random = randomFrom(units.length * 7_919 + count);
  // Of its own for each tenant, as ids of units are.
  const salt = createHash('sha256')
    .update(units[0]?.id ?? '')
    .digest()
    .readUInt32BE(0);
  const deals = Array.from({ length: count }, (_, index): Deal => {
    const unit = units[(index * 7) % units.length];
    const status = pick(random, ['open', 'signed', 'funded']);
    const opened = Date.UTC(2026, 1, 1) + index * 5_400_000;
    return Object.freeze({
      id: `deal_${(((salt + index) * 0x9e3779b1) % 0xffffffff).toString(36)}${String(index).padStart(3, '0')}`,
      unitId: unit?.id ?? 'unit_none',
      status,
      totalGross: between(random, 40_000, 940_000) / 100,
      currency: 'USD',
      termMonths: pick(random, [24, 36, 48, 60]),
      openedAt: new Date(opened).toISOString(),
      fundedAt: status === 'funded' ? new Date(opened + 86_400_000).toISOString() : null,
    });
  });
  cache.set(units, deals);
  return deals;
}
