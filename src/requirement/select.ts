import { SettingsError } from '../settings/index.js';
import type { CatalogueEntry } from './requirement.js';

/** The entries that `--only` names (ids or sections, comma-separated); all without it. Throws SettingsError on an unknown name. */
export function select<T extends Pick<CatalogueEntry, 'id' | 'section'>>(
  all: readonly T[],
  only: string | null,
  given = '--only',
): readonly T[] {
  if (only === null) return all;
  const names = only
    .split(',')
    .map((name) => name.trim().toUpperCase())
    .filter(Boolean);
  if (names.length === 0)
    throw new SettingsError(
      `${given} is empty: expected ids or sections such as UNIT-03 or DEAL,PLAN; "npx dealership-conformance list" shows them.`,
    );
  for (const name of names) {
    if (!all.some((entry) => entry.id === name || entry.section === name)) {
      throw new SettingsError(
        `${given} names "${name}", which is no requirement and no section: expected ids such as UNIT-03 or sections such as DEAL; "npx dealership-conformance list" shows them.`,
      );
    }
  }
  return all.filter((entry) => names.includes(entry.id) || names.includes(entry.section));
}
