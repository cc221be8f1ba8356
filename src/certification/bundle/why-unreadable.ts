import { block, checksumOf } from './archive.js';
import { bundleNames } from './bundle-names.js';

/** Whether a tar header has the checksum that it states. */
const isSoundHeader = (header: Buffer): boolean =>
  checksumOf(header) === parseInt(header.toString('latin1', 148, 156), 8);

/**
 * Why a file is not a bundle to judge: it is some other file, or ends before the mark that ends an archive (two
 * empty blocks). Null for a bundle, also for one in which bytes were changed.
 */
export function whyUnreadable(file: Buffer): string | null {
  const other = 'is no bundle';
  let hasManifest = false;
  let at = 0;
  while (at + block <= file.length) {
    const header = file.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    hasManifest ||= header.toString('latin1', 0, 100).startsWith(`${bundleNames.manifest}\0`);
    const size = /^ *([0-7]+)/.exec(header.toString('latin1', 124, 136))?.[1];
    // One changed byte of the first header leaves its name or its magic as it was.
    if (!isSoundHeader(header) || size === undefined)
      return hasManifest || header.toString('latin1', 257, 262) === 'ustar' ? null : other;
    at += block + Math.ceil(parseInt(size, 8) / block) * block;
  }
  if (!hasManifest) return other;
  return at + 2 * block <= file.length ? null : 'ends early, as an incomplete download does';
}
