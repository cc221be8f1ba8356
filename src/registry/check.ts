import { digestOf } from '../certification/bundle/manifest.js';
import { joinBundle } from '../certification/bundle/public-bundle.js';
import { whyUnreadable } from '../certification/bundle/why-unreadable.js';
import { parseRuling } from '../certification/rulings.js';
import { verifyBundle } from '../certification/verify/verify-bundle.js';
import { SettingsError } from '../settings/settings-error.js';
import { checkBundle, keyRow, type BundleParts } from './check-bundle.js';
import { checkFiles, type Submission } from './check-files.js';
import { submissionFiles } from './layout.js';
import type { Repository } from './repository.js';
import type { Row } from './rows.js';
import { readRules } from './rules.js';

/** What a submission is judged with. */
export interface CheckParts extends Pick<BundleParts, 'now' | 'secret'> {
  readonly repository: Repository;
  /** The branch that the submission is for: keys and policy are read from it, never from what is submitted. */
  readonly base: string;
  readonly verification: Omit<Parameters<typeof verifyBundle>[1], 'trusted'>;
  /** Fetches a file of at most so many bytes; a text says why there is none. */
  readonly download: (url: string, mostBytes: number) => Promise<Buffer | string>;
}

/** Judges the submission that the checked out commit brings. Throws SettingsError where the base is no registry. */
export async function checkSubmission(parts: CheckParts): Promise<readonly Row[]> {
  const { repository, base, verification, now, secret } = parts;
  const commit = repository.commitOf(base);
  const rules = readRules((path) => repository.readAt(commit, path));
  const { rows, submission } = checkFiles(repository, commit, repository.commitOf('HEAD'));
  if (submission === null) return rows;
  const { product, vendor } = submission;
  const key = rules.keyOf(vendor);
  const known = [...rows, keyRow(rules, vendor, key)];
  if (key === null) return known;
  const archive = await wholeBundle(parts, submission);
  if (!Buffer.isBuffer(archive)) return [...known, archive];
  const rulings = repository
    .filesIn(commit, 'challenges')
    .filter(({ path, kind }) => kind === 'file' && path.endsWith('.yaml'))
    .map(({ path }) => parseRuling(repository.readAt(commit, path)?.toString('utf8') ?? '', path));
  const found = await verifyBundle(archive, { ...verification, rulings, trusted: [key] }).catch((error: unknown) => {
    if (error instanceof SettingsError) return error.message;
    throw error;
  });
  if (typeof found !== 'string') return [...known, ...checkBundle({ found, product, rules, now, secret })];
  const fix = 'Submit a bundle of the requirements that this programme has.';
  return [...known, { what: 'packs', ok: false, expected: 'packs that are installed here', seen: found, fix }];
}

/** The bundle with its exchanges, or why there is none. */
async function wholeBundle({ repository, download }: CheckParts, submission: Submission): Promise<Buffer | Row> {
  const refuse = (seen: string): Row => ({
    what: 'bundle',
    ok: false,
    expected: 'bundle.tar as certify --bundle wrote it, or its public part and bundle.url with the other',
    seen,
    fix: 'Submit the bundle again; for a public one, both files of one bundle command.',
  });
  const open = repository.read(submission.bundle);
  const unreadable = whyUnreadable(open);
  if (unreadable !== null) return refuse(`bundle.tar ${unreadable}`);
  if (submission.evidence === null) return open;
  const { url, sha256 } = submission.evidence;
  const kept = await download(url, submissionFiles.get('bundle.tar') ?? 0);
  if (typeof kept === 'string') return refuse(`${url}: ${kept}`);
  if (digestOf(kept) !== `sha256:${sha256}`) return refuse(`${url} has the digest ${digestOf(kept)}`);
  return (await joinBundle(open, kept)) ?? refuse('bundle.tar and the archive at bundle.url do not fit together');
}
