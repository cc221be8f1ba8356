import {
  brotliDecompressSync,
  constants,
  createBrotliCompress,
  createBrotliDecompress,
  createGunzip,
  gunzipSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';

/** The ending of a packed segment. Lists that differ in a word only are far apart: Brotli's window holds a whole segment, gzip's two lists. */
export const packedEnding = '.br';

/** Endings that mean packed; earlier versions packed with gzip. */
const unpackers = {
  '.br': { stream: createBrotliDecompress, whole: brotliDecompressSync },
  '.gz': { stream: createGunzip, whole: gunzipSync },
} as const;

function unpackerOf(name: string): (typeof unpackers)[keyof typeof unpackers] | null {
  return name.endsWith('.br') ? unpackers['.br'] : name.endsWith('.gz') ? unpackers['.gz'] : null;
}

/** Packs a segment of at most a few megabytes. */
export function packer(): Transform {
  return createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
}

/** A stream that unpacks a file of this name, or null where it is plain. */
export function unpacker(name: string): Transform | null {
  return unpackerOf(name)?.stream() ?? null;
}

/** The bytes of a file of this name, unpacked where it is packed; throws past `mostBytes`. */
export function unpacked(name: string, bytes: Buffer, mostBytes?: number): Buffer {
  return unpackerOf(name)?.whole(bytes, mostBytes === undefined ? {} : { maxOutputLength: mostBytes }) ?? bytes;
}
