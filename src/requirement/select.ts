import { unknownName } from '../settings/index.js';
import type { CatalogueEntry } from './requirement.js';

/** The entries that `--only` names (ids or sections, comma-separated); all without it. Throws SettingsError on an unknown name. */
export function select<T extends Pick<CatalogueEntry, 'id' | 'section'>>(
  all: readonly T[],
  only: string | null,
  given = '--only',
  expected = 'ids or sections such as UNIT-03 or DEAL,PLAN, which "npx dealership-conformance list" shows',
): readonly T[] {
  if (only === null) return all;
  const names = only
    .split(',')
    .map((name) => name.trim().toUpperCase())
    .filter(Boolean);
  const unknown =
    names.length === 0 ? '' : names.find((name) => !all.some(({ id, section }) => [id, section].includes(name)));
  if (unknown !== undefined) throw unknownName(given, unknown, expected);
  return all.filter((entry) => names.includes(entry.id) || names.includes(entry.section));
}
