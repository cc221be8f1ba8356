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
  const [la, lb] = [asArray(a), asArray(b)];
  if (la && lb)
    return la.length === lb.length && la.every((one, at) => sameJson(one, lb[at]) && differentAt(la, lb, at) === null);
  const [oa, ob] = [asObject(a), asObject(b)];
  if (!oa || !ob) return false;
  const names = Object.keys(oa);
  return (
    names.length === Object.keys(ob).length &&
    names.every((name) => Object.hasOwn(ob, name) && sameJson(oa[name], ob[name]) && differentAt(oa, ob, name) === null)
  );
}

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
  const at = (place: string | number, [one, other]: readonly [object, object], values: readonly [unknown, unknown]) => {
    const [number, another] = differentAt(one, other, place) ?? values;
    return differences(number, another, `${pointer}/${place}`);
  };
  const [oa, ob] = [asObject(left), asObject(right)];
  if (oa && ob) {
    return Object.keys(oa)
      .filter((name) => Object.hasOwn(ob, name))
      .flatMap((name) => at(name, [oa, ob], [oa[name], ob[name]]));
  }
  const [la, lb] = [asArray(left), asArray(right)];
  if (la && lb) {
    if (la.length !== lb.length) return [{ pointer, left, right, lengthOnly: true }];
    return la.flatMap((one, place) => at(place, [la, lb], [one, lb[place]]));
  }
  return left === right ? [] : [{ pointer, left, right, lengthOnly: false }];
}
