import type { KeyObject } from 'node:crypto';
import { decodeJson } from '../../http/decode-body.js';
import { firstDifference, packArchive, unpackArchive, type ArchiveFile } from './archive.js';
import { bundleNames, mayHold } from './bundle-names.js';
import { digestOf, type Manifest } from './manifest.js';
import { checkSignature } from './signature.js';

/** Something in a bundle that is not as it was signed; `where` names the file or part. */
export interface Problem {
  readonly where: string;
  readonly what: string;
  /** Set where the signature fits the manifest, and another key made it than the trusted one. */
  readonly isOtherKey?: true;
}

/** A bundle taken apart. `manifest` and `signedBy` are null where that part cannot be trusted at all. */
export interface OpenedBundle {
  readonly problems: readonly Problem[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly manifest: Manifest | null;
  readonly signedBy: string | null;
}

function readManifest(bytes: Buffer): Manifest | null {
  const value = decodeJson(bytes.toString('utf8')) as Partial<Manifest> | null | undefined;
  const sound =
    value?.format === 'dealership-conformance-bundle/1' &&
    typeof value.files === 'object' &&
    typeof value.suite === 'object' &&
    Array.isArray(value.levels);
  return sound ? (value as Manifest) : null;
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

/** Takes a bundle apart and judges it byte for byte: archive, signature, digests. `trusted` is the only key that counts, where it is given. */
export async function openBundle(archive: Buffer, trusted: KeyObject | null): Promise<OpenedBundle> {
  let list: ArchiveFile[];
  try {
    list = await unpackArchive(archive);
  } catch (error) {
    const what = `it cannot be taken apart (${error instanceof Error ? error.message : 'unknown reason'})`;
    return { problems: [{ where: 'the archive', what }], files: new Map(), manifest: null, signedBy: null };
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
  let signedBy: string | null = null;
  if (signed === undefined) problems.push({ where: bundleNames.signature, what: 'it is not there' });
  else if (manifestBytes !== undefined) {
    const checked = await checkSignature(manifestBytes, signed, trusted);
    if (checked.ok) signedBy = checked.fingerprint;
    else
      problems.push({
        where: bundleNames.signature,
        what: checked.problem,
        ...(checked.isOtherKey ? { isOtherKey: true } : {}),
      });
  }
  if (manifest !== null) problems.push(...judgeFiles(list, manifest));
  // Headers, padding and the end of the archive are covered by writing it anew: there is one way to write these files.
  const order = manifest === null ? [] : [bundleNames.manifest, bundleNames.signature, ...Object.keys(manifest.files)];
  const inOrder = order.flatMap((name) => list.find((one) => one.name === name) ?? []);
  const usual = inOrder.length === list.length ? inOrder : list;
  const differs = firstDifference(archive, await packArchive(usual), usual);
  if (differs !== null)
    problems.push({ where: 'the archive', what: `it is not as this suite writes it, from ${differs}` });
  return { problems, files, manifest, signedBy };
}
