import { between, pick, randomFrom } from '../random.js';
import type { Unit } from './records.js';

const models: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Toyota', 'Corolla'],
  ['Toyota', 'RAV4'],
  ['Honda', 'Civic'],
  ['Honda', 'CR-V'],
  ['Ford', 'F-150'],
  ['Ford', 'Escape'],
  ['Škoda', 'Octavia'],
  ['Citroën', 'C3'],
  ['Hyundai', 'Ioniq 5'],
  ['Kia', 'Niro'],
  ['Volvo', 'XC60'],
  ['Mazda', 'CX-5'],
];
const features: readonly [string, ...string[]] = [
  'heated seats',
  'tow bar',
  'sunroof',
  'camera',
  'lane assist',
  'winter tyres',
  'roof rails',
];
const vinAlphabet = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789';

function text(random: () => number, length: number): string {
  return Array.from({ length }, () => vinAlphabet[Math.floor(random() * vinAlphabet.length)] ?? '0').join('');
}

function statusOf(random: () => number): string {
  const draw = random();
  if (draw < 0.55) return 'available';
  return draw < 0.7 ? 'reserved' : draw < 0.88 ? 'sold' : draw < 0.95 ? 'in-transit' : 'in-service';
}

function makeUnit(random: () => number, index: number): Unit {
  const [make, model] = pick(random, models);
  const used = random() < 0.6;
  const created = Date.UTC(2026, 0, 1) + index * 3_600_000 + between(random, 0, 3_599) * 1_000;
  return Object.freeze({
    id: `unit_${text(random, 12).toLowerCase()}`,
    stockNumber: `S${String(10_000 + index)}`,
    vin: text(random, 17),
    status: statusOf(random),
    condition: used ? 'used' : 'new',
    make,
    model,
    year: used ? between(random, 2012, 2025) : 2026,
    trim: random() < 0.3 ? null : pick(random, ['Base', 'Sport', 'Limited', 'Touring']),
    mileageKm: used ? between(random, 4_000, 190_000) : between(random, 3, 90),
    engineLitres: [1.5, 2, 2.5, 3][index % 4] ?? null,
    priceCents: between(random, 450_000, 8_900_000),
    currency: 'USD',
    features: Object.freeze(features.filter(() => random() < 0.35)),
    location: Object.freeze({
      lot: pick(random, ['north', 'south', 'annex']),
      row: between(random, 1, 24),
      geo: Object.freeze({
        lat: 39.7 + between(random, 0, 900) / 10_000,
        lng: -104.9 - between(random, 0, 900) / 10_000,
      }),
    }),
    createdAt: new Date(created).toISOString(),
    updatedAt: new Date(created + between(random, 1, 80) * 3_600_000).toISOString(),
  });
}

const cache = new Map<string, readonly Unit[]>();

/** The seeded units of a tenant, oldest first; the same for the same seed, made once. */
export function seedUnits(seed: number, tenant: string, count: number): readonly Unit[] {
  const name = `${seed}/${tenant}/${count}`;
  const known = cache.get(name);
  if (known) return known;
  const salt = Array.from(tenant).reduce(
    (sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0,
    seed >>> 0,
  );
  const random = randomFrom(salt);
  const made = Array.from({ length: count }, (_, index) => makeUnit(random, index));
  // The first two are always on offer, whatever the draw.
  const units = made.map((unit, index) => (index < 2 ? Object.freeze({ ...unit, status: 'available' }) : unit));
  if (cache.size > 64) cache.clear();
  cache.set(name, units);
  return units;
}
