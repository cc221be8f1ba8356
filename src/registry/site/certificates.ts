import { isDeepStrictEqual } from 'node:util';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { visible } from '../../visible.js';
import {
  digestOf,
  fingerprint,
  type Manifest,
  openBundle,
  parseProduct,
  parsePublicKey,
  parseReport,
  type Product,
} from '../../certification/index.js';
import { readInput, unknownName, wrongFile } from '../../settings/index.js';
import { folderOf, submissionAt, type SubmissionFolder } from '../layout.js';
import { readRules, revocationOf, type Rules } from '../rules.js';

/** Each status by its tone: one that a person may rely on is green, one that was taken back red; one that ended in the usual way is neither. */
export const statuses = {
  ...{ valid: 'pass', expiring: 'warn', superseded: 'not-applicable', expired: 'not-applicable' },
  ...{ withdrawn: 'fail', rehearsal: 'blocked' },
} as const;
export type Status = keyof typeof statuses;

/** Whether it counts, or did until it expired or another took its place. */
export const wasGranted = ({ status }: Pick<Certificate, 'status'>): boolean =>
  status !== 'withdrawn' && status !== 'rehearsal';

/** A submission as the site shows it. */
export interface Certificate extends SubmissionFolder {
  /** `v1/acme/dealerhub`: the folder of the pages about every version. */
  readonly page: string;
  readonly product: Product;
  readonly manifest: Manifest;
  readonly results: ReturnType<typeof parseReport>['requirements'];
  readonly signer: string;
  readonly bundle: { readonly file: string; readonly sha256: string };
  readonly status: Status;
  /** When the status began (ISO 8601), and why where the certifier gave a reason. */
  readonly since: string;
  readonly why: string | null;
}

/** A registry, read from its folder; certificates of one product follow each other, the newest version first. */
export interface Registry {
  readonly rules: Rules;
  readonly certificates: readonly Certificate[];
  /** The fingerprints of the public keys in `keys`, by file name. */
  readonly keys: ReadonlyMap<string, string>;
  /** The keys that whoever judges again needs, by path. */
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
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
    ? readInput({ file, expected: 'a file of a registry' })
    : null;
}

/** The plain files of a folder whose names end so, by path. */
function plainFiles(root: string, folder: string, ending: string): [string, Buffer][] {
  const names = namesIn(join(root, folder), 'file').filter((name) => name.endsWith(ending));
  return names.sort().map((name) => [`${folder}/${name}`, readPlain(root, `${folder}/${name}`) ?? Buffer.alloc(0)]);
}

function readCertificate(root: string, at: SubmissionFolder): Undated {
  const refuse = (name: string, why: string): Error =>
    wrongFile({ file: `${at.folder}/${name}`, expected: 'a submission that "registry check" accepted' }, why);
  const [text, archive] = ['product.yaml', 'bundle.tar'].map((name) => readPlain(root, `${at.folder}/${name}`));
  if (!text || !archive) throw refuse(text ? 'bundle.tar' : 'product.yaml', 'is missing');
  const { manifest, signer, problems, files } = openBundle(archive, []);
  const [first] = problems;
  const product = parseProduct(text.toString('utf8'), `${at.folder}/product.yaml`);
  if (first !== undefined) throw refuse('bundle.tar', `cannot be shown (${first.where}: ${first.what})`);
  if (manifest === null) throw refuse('bundle.tar', 'cannot be shown (it has no manifest)');
  if (!isDeepStrictEqual(manifest.product, product) || folderOf(product) !== at.folder)
    throw refuse('bundle.tar', 'is of another product than product.yaml or its folder');
  return {
    ...at,
    page: at.name.split('/').slice(0, 3).join('/'),
    product,
    manifest,
    results: parseReport(String(files.get('conformance.json')), `${at.folder}/bundle.tar`).requirements,
    signer: signer ?? '',
    bundle: { file: join(root, at.folder, 'bundle.tar'), sha256: digestOf(archive).slice('sha256:'.length) },
  };
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
  const { standing, reasons } = one.manifest;
  const end = withdrawn.find(({ submission }) => submission === one.name) ?? revocationOf(rules, one.signer, started);
  const expiringFrom = new Date(Date.parse(endOf(until)) - policy.expiringDays * 86_400_000);
  const as = (status: Status, since: string, why: string | null = null): Certificate => ({
    ...one,
    status,
    since,
    why,
  });
  if (end !== undefined) return as('withdrawn', `${end.since}T00:00:00.000Z`, end.reason);
  if (standing === 'rehearsal' || until === '')
    return as('rehearsal', started, reasons.join('; ') || 'it names no last day');
  if (newer !== undefined) return as('superseded', newer.manifest.clock.started);
  if (now.toISOString().slice(0, 10) > until) return as('expired', endOf(until));
  return now >= expiringFrom ? as('expiring', expiringFrom.toISOString()) : as('valid', started);
}

/** Throws SettingsError for an entry that names nothing: a slip of the pen would leave a certificate valid. */
function assertNamed({ withdrawn }: Rules, all: readonly Undated[]): void {
  const stray = withdrawn.map((one) => one.submission).find((path) => !all.some(({ name }) => name === path));
  if (stray !== undefined)
    throw unknownName(
      'withdrawn.yaml',
      visible(stray),
      'a folder below submissions, such as v1/acme/dealerhub/2.4.1',
      'is not here',
    );
}

/** Reads a registry and computes the status of every certificate; throws SettingsError. */
export function readRegistry(root: string, now: Date): Registry {
  const rules = readRules((path) => readPlain(root, path));
  const keyFiles = plainFiles(root, 'keys', '.pub.pem');
  const below = (folder: string): string[] => namesIn(join(root, folder), 'folder').map((name) => `${folder}/${name}`);
  const folders = below('submissions/v1').flatMap(below).flatMap(below);
  const all: Undated[] = [];
  for (const folder of folders) {
    const at = submissionAt(folder);
    if (at !== null) all.push(readCertificate(root, at));
  }
  all.sort((a, b) => {
    return a.page === b.page ? compareVersions(b.product.version, a.product.version) : a.page < b.page ? -1 : 1;
  });
  assertNamed(rules, all);
  const certificates: Certificate[] = [];
  for (const one of all) {
    const newer = certificates.find((other) => other.page === one.page && wasGranted(other));
    certificates.push(dated(one, newer, rules, now));
  }
  const keys = keyFiles.map(([path, bytes]): [string, string] => {
    return [path.slice('keys/'.length), fingerprint(parsePublicKey(bytes, path))];
  });
  return { rules, certificates, keys: new Map(keys), files: new Map(keyFiles) };
}
