import { EarlyEnd, unpackArchive } from './archive.js';
import { bundleNames } from './bundle-names.js';

/**
 * Why a file is not a bundle to judge: it is some other file, or ends before its end. Null for a bundle, also for one in which bytes were
 * changed.
 */
export function whyUnreadable(file: Buffer): string | null {
  const other = 'is no bundle';
  try {
    return unpackArchive(file).some(({ name }) => name === bundleNames.manifest) ? null : other;
  } catch (error) {
    // One changed byte of the first header leaves its name or its magic as it was.
    const { manifest } = bundleNames;
    const isOne =
      file.toString('latin1', 0, manifest.length + 1) === `${manifest}\0` ||
      file.toString('latin1', 257, 262) === 'ustar';
    if (!isOne) return other;
    return error instanceof EarlyEnd ? 'ends early, as an incomplete download does' : null;
  }
}
