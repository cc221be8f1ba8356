import { isDeepStrictEqual } from 'node:util';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseRunFile } from '../../certification/bundle/read-run-file.js';
import { levelsOf } from '../../certification/levels.js';
import { parseReport } from '../../certification/read-report.js';
import { ruledOf } from '../../certification/verify/verify-bundle.js';
import { visible } from '../../reports/visible.js';
import { fingerprint, parsePublicKey } from '../../certification/bundle/keys.js';
import { digestOf, type Manifest } from '../../certification/bundle/manifest.js';
import { openBundle, type OpenedBundle } from '../../certification/bundle/open-bundle.js';
import { acceptedFor, isAbout, parseRuling, type Ruling } from '../../certification/rulings.js';
import { parseProduct, type Product } from '../../certification/product.js';
import { bundleNames } from '../../certification/bundle/bundle-names.js';
import { planNames } from '../../settings/target.js';
import { readNamed } from '../../certification/load-report.js';
import { SettingsError } from '../../settings/settings-error.js';
import { folderOf, parseEvidence, submissionAt, type EvidenceAddress, type SubmissionFolder } from '../layout.js';
import { readRules, revocationOf, type Rules } from '../rules.js';

export const statuses = ['valid', 'expiring', 'challenged', 'superseded', 'expired', 'withdrawn'] as const;
export type Status = (typeof statuses)[number];

/** A submission as the site shows it. */
export interface Certificate extends SubmissionFolder {
  /** `v1/acme/dealerhub`: the folder of the pages about every version. */
  readonly page: string;
  readonly product: Product;
  readonly manifest: Manifest;
  readonly signers: OpenedBundle['signers'];
  readonly bundle: { readonly file: string; readonly sha256: string };
  readonly evidence: EvidenceAddress | null;
  readonly challenges: readonly Challenge[];
  readonly status: Status;
  /** When the status began (ISO 8601), and why where the certifier gave a reason. */
  readonly since: string;
  readonly why: string | null;
}

/** A ruling, and its file in the repository. */
export interface Challenge extends Ruling {
  readonly path: string;
}

/** A registry, read from its folder; certificates of one product follow each other, the newest version first. */
export interface Registry {
  readonly rules: Rules;
  readonly certificates: readonly Certificate[];
  readonly challenges: readonly Challenge[];
  /** The fingerprints of the public keys in `keys`, the certifier's own among them, by file name. */
  readonly keys: ReadonlyMap<string, string>;
  /** The keys and rulings that whoever judges again needs, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
}

type Undated = Omit<Certificate, 'status' | 'since' | 'why'>;

/** Names in a folder that are plain files or folders: links are not followed. */
function namesIn(folder: string, kind: 'file' | 'folder'): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((one) => (kind === 'file' ? one.isFile() : one.isDirectory())).map(({ name }) => name);
  } catch {
    return [];
  }
}

function readPlain(folder: string, path: string): Buffer | null {
  const file = join(folder, path);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readNamed(file, 'a file of a registry') : null;
}

/** The plain files of a folder whose names end so, by path. */
function plainFiles(root: string, folder: string, ending: string): [string, Buffer][] {
  const names = namesIn(join(root, folder), 'file').filter((name) => name.endsWith(ending));
  return names.sort().map((name) => [`${folder}/${name}`, readPlain(root, `${folder}/${name}`) ?? Buffer.alloc(0)]);
}

async function readCertificate(root: string, at: SubmissionFolder, challenges: readonly Challenge[]): Promise<Undated> {
  const fix = 'expected a submission that "registry check" accepted';
  const [text, archive] = ['product.yaml', 'bundle.tar'].map((name) => readPlain(root, `${at.folder}/${name}`));
  if (!text || !archive) throw new SettingsError(`${at.folder} lacks product.yaml or bundle.tar: ${fix}.`);
  const address = readPlain(root, `${at.folder}/bundle.url`);
  const opened = await openBundle(archive, []);
  const { manifest, signers, problems } = opened;
  const [first] = problems;
  const product = parseProduct(text.toString('utf8'), `${at.folder}/product.yaml`);
  const refuse = (why: string): SettingsError =>
    new SettingsError(`${at.folder}/bundle.tar cannot be shown (${why}): ${fix}.`);
  if (first !== undefined) throw refuse(`${first.where}: ${first.what}`);
  if (manifest?.validUntil === undefined) throw refuse('it names no last day');
  if (!isDeepStrictEqual(manifest.product, product) || folderOf(product) !== at.folder)
    throw refuse('it is of another product than product.yaml or its folder');
  const counted = withRulings(opened, manifest, acceptedFor(challenges, manifest));
  return {
    ...at,
    page: at.name.split('/').slice(0, 3).join('/'),
    product,
    manifest: counted,
    signers,
    bundle: { file: join(root, at.folder, 'bundle.tar'), sha256: digestOf(archive).slice('sha256:'.length) },
    evidence: address === null ? null : parseEvidence(address.toString('utf8'), `${at.folder}/bundle.url`),
    challenges: challenges.filter((one) => isAbout(one, at.name, manifest.suite.version)),
  };
}

/** What a bundle states, after the accepted rulings on it. Levels of packs stay as they were checked. */
function withRulings({ files }: OpenedBundle, manifest: Manifest, accepted: readonly Ruling[]): Manifest {
  const text = (name: string): string => files.get(name)?.toString('utf8') ?? '';
  const report = parseReport(text(bundleNames.report), bundleNames.report);
  const { requirements } = report;
  const plans = planNames.filter((plan) =>
    manifest.levels.some(({ name, standing }) => name === `Limits: ${plan}` && standing !== 'not judged'),
  );
  const ruled = ruledOf(accepted, report, parseRunFile(text(bundleNames.run), bundleNames.run), (exempt) =>
    levelsOf({ requirements }, plans, exempt),
  );
  if (ruled === null) return manifest;
  const { rulings: _left, levels, ...stated } = ruled;
  const further = manifest.levels.filter(({ name }) => !levels.some((one) => one.name === name));
  const standing = stated.reasons.length === 0 ? 'certification' : 'rehearsal';
  return { ...manifest, ...stated, standing, levels: [...levels, ...further] };
}

/** Releases in order; `2.0.0-rc.1` comes before `2.0.0`. */
function compareVersions(a: string, b: string): number {
  const [[baseA = '', ...restA], [baseB = '', ...restB]] = [a.split('-'), b.split('-')];
  const numeric = (x: string, y: string): number => x.localeCompare(y, 'en', { numeric: true });
  return (
    numeric(baseA.replace(/^v/, ''), baseB.replace(/^v/, '')) ||
    Number(restB.length > 0) - Number(restA.length > 0) ||
    numeric(restA.join('-'), restB.join('-'))
  );
}

const endOf = (day: string): string => `${day}T23:59:59.000Z`;

/** The status on a day; `newer` is the certificate of a later version that counts. */
function dated(one: Undated, newer: Undated | undefined, rules: Rules, now: Date): Certificate {
  const { policy, withdrawn } = rules;
  const { started } = one.manifest.clock;
  const until = one.manifest.validUntil ?? '';
  const open = one.challenges.find(({ ruling }) => ruling === 'open');
  const { standing, reasons } = one.manifest;
  const end =
    withdrawn.find(({ submission }) => submission === one.name) ??
    revocationOf(rules, one.signers, started) ??
    (standing === 'rehearsal' ? { since: started.slice(0, 10), reason: reasons.join('; ') } : undefined);
  const expiringFrom = new Date(Date.parse(endOf(until)) - policy.expiringDays * 86_400_000);
  const as = (status: Status, since: string, why: string | null = null): Certificate => ({
    ...one,
    status,
    since,
    why,
  });
  if (end !== undefined) return as('withdrawn', `${end.since}T00:00:00.000Z`, end.reason);
  if (newer !== undefined) return as('superseded', newer.manifest.clock.started);
  if (now.toISOString().slice(0, 10) > until) return as('expired', endOf(until));
  if (open !== undefined) return as('challenged', `${open.date}T00:00:00.000Z`);
  return now >= expiringFrom ? as('expiring', expiringFrom.toISOString()) : as('valid', started);
}

/** Throws SettingsError for an entry that names nothing: a slip of the pen would leave a certificate valid. */
function assertNamed({ withdrawn }: Rules, challenges: readonly Ruling[], all: readonly Undated[]): void {
  const isProduct = (path: string): boolean => all.some(({ name }) => name === path || name.startsWith(`${path}/`));
  const stray = [
    ...withdrawn.map((one) => one.submission).filter((path) => !all.some(({ name }) => name === path)),
    ...challenges.flatMap(({ products = [] }) => products).filter((path) => !isProduct(path)),
  ][0];
  if (stray !== undefined)
    throw new SettingsError(
      `withdrawn.yaml or a challenge names "${visible(stray)}", which is not here: expected a folder below submissions, such as v1/acme/dealerhub/2.4.1.`,
    );
}

/** Reads a registry and computes the status of every certificate; throws SettingsError. */
export async function readRegistry(root: string, now: Date): Promise<Registry> {
  const rules = readRules((path) => readPlain(root, path));
  const rulingFiles = plainFiles(root, 'challenges', '.yaml');
  const keyFiles = plainFiles(root, 'keys', '.pub.pem');
  const challenges = rulingFiles.map(([path, bytes]) => ({ ...parseRuling(bytes.toString('utf8'), path), path }));
  const below = (folder: string): string[] => namesIn(join(root, folder), 'folder').map((name) => `${folder}/${name}`);
  const folders = below('submissions/v1').flatMap(below).flatMap(below);
  const all: Undated[] = [];
  for (const folder of folders) {
    const at = submissionAt(folder);
    if (at !== null) all.push(await readCertificate(root, at, challenges));
  }
  all.sort((a, b) => {
    return a.page === b.page ? compareVersions(b.product.version, a.product.version) : a.page < b.page ? -1 : 1;
  });
  assertNamed(rules, challenges, all);
  const certificates: Certificate[] = [];
  for (const one of all) {
    const newer = certificates.find(({ page, status }) => page === one.page && status !== 'withdrawn');
    certificates.push(dated(one, newer, rules, now));
  }
  const keys = keyFiles.map(([path, bytes]): [string, string] => {
    return [path.slice('keys/'.length), fingerprint(parsePublicKey(bytes, `the registry has ${path}`))];
  });
  return { rules, certificates, challenges, keys: new Map(keys), files: new Map([...rulingFiles, ...keyFiles]) };
}
