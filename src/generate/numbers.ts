import fc from 'fast-check';
import type { Flat } from './flat.js';
import { guarded } from './guarded.js';

const wide = 1_000_000_000;

/** Decimal places of a number as JSON writes it. */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  const places = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, places - Number(exponent ?? 0));
}

/** The multiple of a step, without the noise of binary fractions. */
export function timesStep(count: number, step: number): number {
  return Number((count * step).toFixed(Math.min(20, decimalPlaces(step))));
}

/** Numbers or integers within the bounds of a flat schema, or null when there is none. */
export function numberArbitrary(
  flat: Flat,
  type: 'integer' | 'number' | (string & {}),
  where: string,
): fc.Arbitrary<number> | null {
  const passes = (value: number): boolean =>
    value >= flat.minimum &&
    value <= flat.maximum &&
    value > flat.aboveMinimum &&
    value < flat.belowMaximum &&
    flat.multiples.every((step) => isMultiple(value, step)) &&
    (type !== 'integer' || Number.isInteger(value));
  const { low, high } = range(flat);
  if (low > high) return null;
  const step = flat.multiples.length > 0 ? Math.max(...flat.multiples) : type === 'integer' ? 1 : null;
  if (step !== null) {
    const whole = type === 'integer' && !Number.isInteger(step) ? step * 10 ** decimalPlaces(step) : step;
    const least = Math.max(Number.MIN_SAFE_INTEGER, Math.ceil(low / whole - 1e-9));
    const most = Math.min(Number.MAX_SAFE_INTEGER, Math.floor(high / whole + 1e-9));
    if (least > most) return null;
    const made = fc.integer({ min: least, max: most }).map((count) => timesStep(count, whole));
    return least === most && !passes(timesStep(least, whole)) ? null : guarded(made, passes, where);
  }
  const near = fc.double({ min: low, max: high, noNaN: true, noDefaultInfinity: true });
  const round = fc.double({ min: low, max: high, noNaN: true, noDefaultInfinity: true }).map((value) => {
    const cents = Math.round(value * 100) / 100;
    return passes(cents) ? cents : value;
  });
  const whole = Math.ceil(low) <= Math.floor(high) ? [fc.integer({ min: Math.ceil(low), max: Math.floor(high) })] : [];
  return guarded(fc.oneof(near, round, ...whole), passes, where);
}

function range(flat: Flat): { low: number; high: number } {
  const low = Math.max(flat.minimum, flat.aboveMinimum);
  const high = Math.min(flat.maximum, flat.belowMaximum);
  if (Number.isFinite(low) && Number.isFinite(high)) return { low, high };
  if (Number.isFinite(low)) return { low, high: Math.max(low + wide, wide) };
  if (Number.isFinite(high)) return { low: Math.min(high - wide, -wide), high };
  return { low: -wide, high: wide };
}

function isMultiple(value: number, step: number): boolean {
  const count = value / step;
  return Math.abs(count - Math.round(count)) < 1e-9;
}
