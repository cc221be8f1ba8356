import { packArchive, unpackArchive, type ArchiveFile } from './archive.js';
import { bundleNames, isPrivate } from './bundle-names.js';
import type { Manifest } from './manifest.js';

/**
 * A bundle in two archives: one to publish, and one with every exchange, which the vendor keeps. Manifest and signature stay in the public one,
 * and bind the other by its digests.
 */
export async function splitBundle(archive: Buffer): Promise<{ readonly open: Buffer; readonly kept: Buffer }> {
  const files = await unpackArchive(archive);
  const [open, kept] = [false, true].map((wanted) => files.filter(({ name }) => isPrivate(name) === wanted));
  return { open: await packArchive(open ?? []), kept: await packArchive(kept ?? []) };
}

/** The whole bundle again, byte for byte as it was before it was split; what does not fit is left for `openBundle` to find. Null where one of the two is no archive of the suite. */
export async function joinBundle(open: Buffer, kept: Buffer): Promise<Buffer | null> {
  try {
    const files = [...(await unpackArchive(open)), ...(await unpackArchive(kept))];
    const manifest = files.find(({ name }) => name === bundleNames.manifest)?.bytes.toString('utf8') ?? '';
    const order = new Map(Object.keys((JSON.parse(manifest) as Manifest).files).map((name, at) => [name, at]));
    const place = ({ name }: ArchiveFile): number => order.get(name) ?? -1;
    return await packArchive(files.sort((a, b) => place(a) - place(b)));
  } catch {
    return null;
  }
}
