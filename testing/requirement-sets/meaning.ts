import { createHash } from 'node:crypto';
import type { RequirementSet } from '../../src/certification/requirement-sets.js';
import { faults as allFaults } from '../../src/reference/faults/faults.js';
import type { Fault } from '../../src/reference/faults/fault.js';
import type { CatalogueEntry } from '../../src/requirement/requirement.js';
import { suitePack } from '../../src/suite-pack.js';

/**
 * Digest of what a requirement demands, as far as it can be observed: its level, source and sentence, and the faults that turn it red. A fault
 * that came after the release says since which set it is found; it changes no digest.
 */
function meaningOf({ id, level, source, title }: CatalogueEntry, faults: readonly Fault[]): string {
  const found = faults.filter((one) => one.requirement === id && one.since === undefined).map((one) => one.id);
  return createHash('sha256')
    .update(JSON.stringify([id, level, source, title, found.sort()]))
    .digest('hex')
    .slice(0, 16);
}

/** What a set holds by the code as it is: each requirement of that month or before, with its digest. */
export function contentOf(
  set: string,
  entries: readonly CatalogueEntry[] = suitePack.requirements,
  faults: readonly Fault[] = allFaults,
): RequirementSet['requirements'] {
  return Object.fromEntries(
    entries
      .filter(({ since }) => since === undefined || since <= set)
      .map((entry): [string, string] => [entry.id, meaningOf(entry, faults)])
      .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
  );
}
