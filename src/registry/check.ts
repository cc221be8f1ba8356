import { verifyBundle } from '../certification/index.js';
import { SettingsError } from '../settings/index.js';
import { checkBundle, keyRow, type BundleParts } from './check-bundle.js';
import { checkFiles } from './check-files.js';
import type { Repository } from './repository.js';
import type { Row } from './rows.js';
import { readRules } from './rules.js';

/** What a submission is judged with. */
export interface CheckParts extends Pick<BundleParts, 'now'> {
  readonly repository: Repository;
  /** The branch that the submission is for: keys and policy are read from it, never from what is submitted. */
  readonly base: string;
  readonly verification: Omit<Parameters<typeof verifyBundle>[1], 'trusted'>;
}

/** Judges the submission that the checked out commit brings. Throws SettingsError where the base is no registry. */
export async function checkSubmission(parts: CheckParts): Promise<readonly Row[]> {
  const { repository, base, verification, now } = parts;
  const commit = repository.commitOf(base);
  const rules = readRules((path) => repository.readAt(commit, path));
  const { rows, submission } = checkFiles(repository, commit, repository.commitOf('HEAD'));
  if (submission === null) return rows;
  const { product, vendor } = submission;
  const key = rules.keyOf(vendor);
  const known = [...rows, keyRow(rules, vendor, key)];
  if (key === null) return known;
  const archive = repository.read(submission.bundle);
  const found = await verifyBundle(archive, { ...verification, trusted: [key] }).catch((error: unknown) => {
    if (error instanceof SettingsError) return error.message;
    throw error;
  });
  if (typeof found !== 'string') return [...known, ...checkBundle({ found, product, rules, now })];
  const fix = 'Submit a bundle of the requirements that this programme has.';
  return [...known, { what: 'packs', ok: false, expected: 'packs that are installed here', seen: found, fix }];
}
