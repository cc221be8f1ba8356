import { differentAt } from '../http/index.js';
import { asObject, quote } from '../openapi/index.js';

export { asObject, quote };

/** A JSON array, or null. */
export function asArray(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? (value as readonly unknown[]) : null;
}

/** Whether two JSON values are equal, whatever the order of their keys; numbers as they were written. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const both = bothHold(a, b);
  if (both === null) return false;
  const [one, other] = both;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(...valuesAt(both, name)))
  );
}

type Members = Readonly<Record<string, unknown>>;

/** Two values with members of the same kind, two objects or two arrays; null for others. */
function bothHold(a: unknown, b: unknown): readonly [Members, Members] | null {
  const [one, other] = [asObject(a) ?? asArray(a), asObject(b) ?? asArray(b)];
  return one && other && Array.isArray(one) === Array.isArray(other) ? [one as Members, other as Members] : null;
}

/** The members of this name; of numbers that no double tells apart, as they were written. */
const valuesAt = ([one, other]: readonly [Members, Members], name: string): readonly [unknown, unknown] =>
  differentAt(one, other, name) ?? [one[name], other[name]];

/** A place where two values that both show it disagree. */
export interface Difference {
  readonly pointer: string;
  readonly left: unknown;
  readonly right: unknown;
  /** Two arrays of different length: one side may simply show fewer elements. */
  readonly lengthOnly: boolean;
}

/** Two addresses of one thing: a record may name itself by the address that it was read under. */
export function areAddresses({ left, right }: Difference): boolean {
  return [left, right].every((one) => typeof one === 'string' && /^(https?:\/)?\/\S+$/.test(one));
}

/** Differences between fields that both records have. */
export function differences(left: unknown, right: unknown, pointer = ''): Difference[] {
  const both = bothHold(left, right);
  const lengthOnly = Array.isArray(left) && Array.isArray(right) && left.length !== right.length;
  if (both === null || lengthOnly) return left === right ? [] : [{ pointer, left, right, lengthOnly }];
  return Object.keys(both[0])
    .filter((name) => Object.hasOwn(both[1], name))
    .flatMap((name) => differences(...valuesAt(both, name), `${pointer}/${name}`));
}
