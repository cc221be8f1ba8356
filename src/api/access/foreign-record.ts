import { asObject, idOf, sameJson } from '../../service/index.js';

/** Whether an id is none that two tenants would give by chance: words and leading zeros beside a running number do not make it one. */
export function isUnguessable(id: string): boolean {
  const parts = id.split(/[^0-9a-z]+/i).filter((part) => /\d/.test(part));
  return parts.map((part) => part.replace(/^(?:[a-z]*0+|[a-z]+(?=\d+$))/i, '')).join('').length >= 12;
}

/** The longer texts of a record, beside their fields, that no record in `own` has there; not its id, nor its address, which tells no more. */
export function textsNotIn(own: ReadonlyMap<string, unknown>, record: unknown): readonly [string, unknown][] {
  const id = idOf(record) ?? '';
  return Object.entries(asObject(record) ?? {}).filter(
    ([name, value]) =>
      name !== 'id' &&
      typeof value === 'string' &&
      value.length >= 8 &&
      (id === '' || !value.split(/[/?#]/).includes(id)) &&
      [...own.values()].every((one) => asObject(one)?.[name] !== value),
  );
}

/**
 * Whether the record that one tenant sees under an id is the other tenant's: two tenants may number their records alike. It is foreign if the id is
 * unguessable and `own` lacks it, or if it equals the other tenant's record in all fields that both show (a narrower key may see fewer), or, where
 * `own` is whole, if it contains a text that no record in `own` has. Status and times of change tell nothing: a machine that is behind may show an
 * own record as it was.
 */
export function isForeignRecord(
  shown: unknown,
  theirs: unknown,
  own: ReadonlyMap<string, unknown>,
  isWhole = true,
): boolean {
  const [seen, foreign] = [asObject(shown), asObject(theirs)];
  const id = idOf(foreign);
  if (seen === null || foreign === null || id === null || idOf(seen) !== id) return false;
  const mine = asObject(own.get(id));
  if (mine === null && isUnguessable(id)) return true;
  const both = Object.entries(foreign).filter(([name, value]) => name !== 'id' && value != null && seen[name] != null);
  const same = both.filter(([name, value]) => sameJson(value, seen[name]));
  const lasting = same.filter(([name]) => name !== 'status' && !/update|modif|change/i.test(name));
  // Tenants may be seeded alike, and a narrower key be shown less of its own: something has to stand there that its own has otherwise.
  if (mine !== null && !lasting.some(([name, value]) => mine[name] != null && !sameJson(mine[name], value)))
    return false;
  return (
    (isWhole && textsNotIn(own, { id, ...Object.fromEntries(lasting) }).length > 0) ||
    (both.length >= 2 && same.length === both.length)
  );
}
