import type { KeyObject } from 'node:crypto';
import { fingerprint } from './keys.js';
import { decodeJson } from '../../http/index.js';
import { refusedBy } from '../schema-file.js';
import { packArchive, unpackArchive, type ArchiveFile } from './archive.js';
import { bundleNames, mayHold } from './bundle-names.js';
import { digestOf, type Manifest, manifestSchema } from './manifest.js';
import { checkSignature } from './signature.js';

/** Something in a bundle that is not as it was signed; `where` names the file or part. */
export interface Problem {
  readonly where: string;
  readonly what: string;
  /** Set where the signature fits the manifest, and another key made it than the trusted one. */
  readonly isOtherKey?: true;
}

/** A bundle taken apart. `manifest` and `signer` are null where that part cannot be trusted at all. */
export interface OpenedBundle {
  readonly problems: readonly Problem[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly manifest: Manifest | null;
  /** The fingerprint of the key that signed. */
  readonly signer: string | null;
}

/** One spelling only: a name that is there twice would mean another thing to other readers. */
function isAsWritten(value: unknown, bytes: Buffer): boolean {
  try {
    return bytes.equals(Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  } catch {
    // Nested too deeply.
    return false;
  }
}

const mostManifestBytes = 1 << 24;

function readManifest(bytes: Buffer): Manifest | null {
  if (bytes.length > mostManifestBytes) return null;
  const value = decodeJson(bytes.toString('utf8'));
  return refusedBy(manifestSchema, value) === null && isAsWritten(value, bytes) ? (value as Manifest) : null;
}

function judgeFiles(files: readonly ArchiveFile[], manifest: Manifest): Problem[] {
  const problems: Problem[] = [];
  const own: readonly string[] = [bundleNames.manifest, bundleNames.signature];
  const listed = new Map(Object.entries(manifest.files));
  for (const { name, bytes } of files) {
    if (own.includes(name)) continue;
    const stated = listed.get(name);
    listed.delete(name);
    if (stated === undefined) problems.push({ where: name, what: 'it is not in the manifest' });
    else if (stated.bytes !== bytes.length || `sha256:${stated.sha256}` !== digestOf(bytes))
      problems.push({ where: name, what: 'its content is not what the manifest states' });
  }
  for (const name of listed.keys()) problems.push({ where: name, what: 'the manifest states it, and it is not there' });
  return problems;
}

/** Takes a bundle apart and judges it byte for byte: archive, signature, digests. `trusted` are the keys of which one must have signed; any key where there is none. */
export function openBundle(archive: Buffer, trusted: readonly KeyObject[]): OpenedBundle {
  let list: ArchiveFile[];
  try {
    list = unpackArchive(archive);
  } catch (error) {
    const what = `it cannot be taken apart (${error instanceof Error ? error.message : 'unknown reason'})`;
    return { problems: [{ where: 'the archive', what }], files: new Map(), manifest: null, signer: null };
  }
  const problems: Problem[] = [];
  const files = new Map<string, Buffer>();
  for (const { name, bytes } of list) {
    if (!mayHold(name)) problems.push({ where: JSON.stringify(name), what: 'no bundle holds a file of this name' });
    if (files.has(name)) problems.push({ where: name, what: 'it is there twice' });
    files.set(name, bytes);
  }
  const manifestBytes = files.get(bundleNames.manifest);
  const signed = files.get(bundleNames.signature);
  const manifest = manifestBytes === undefined ? null : readManifest(manifestBytes);
  if (manifest === null)
    problems.push({
      where: bundleNames.manifest,
      what: manifestBytes === undefined ? 'it is not there' : 'it is no manifest',
    });
  let signer: string | null = null;
  if (signed === undefined) problems.push({ where: bundleNames.signature, what: 'it is not there' });
  else if (manifestBytes !== undefined) {
    const checked = checkSignature(manifestBytes, signed);
    const keys = trusted.map(fingerprint);
    if (typeof checked === 'string') problems.push({ where: bundleNames.signature, what: checked });
    else {
      ({ signer } = checked);
      if (keys.length > 0 && !keys.includes(signer))
        problems.push({
          where: bundleNames.signature,
          what: `it was made with another key (${signer}) than a trusted one (${keys.join(', ')})`,
          isOtherKey: true,
        });
    }
  }
  if (manifest !== null) problems.push(...judgeFiles(list, manifest));
  // Headers, padding and the end of the archive are covered by writing it anew: there is one way to write these files.
  const order = manifest === null ? [] : [bundleNames.manifest, bundleNames.signature, ...Object.keys(manifest.files)];
  const byName = new Map(list.map((one) => [one.name, one]));
  const inOrder = order.flatMap((name) => byName.get(name) ?? []);
  const usual = inOrder.length === list.length ? inOrder : list;
  if (!archive.equals(packArchive(usual)))
    problems.push({ where: 'the archive', what: 'its order, headers or padding are not as this suite writes them' });
  return { problems, files, manifest, signer };
}
