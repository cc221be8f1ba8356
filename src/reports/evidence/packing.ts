import { promisify } from 'node:util';
import { brotliCompress, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';

/** The ending of a packed segment. Lists that differ in a word only are far apart: Brotli's window holds a whole segment, gzip's two lists. */
export const packedEnding = '.br';

const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 };

/** Packs a segment of at most a few megabytes. */
export const pack = (bytes: Buffer): Promise<Buffer> => promisify(brotliCompress)(bytes, { params });

/** The bytes of a file of this name, unpacked where it is packed (earlier versions used gzip); throws past `mostBytes`. */
export function unpacked(name: string, bytes: Buffer, mostBytes?: number): Buffer {
  const options = mostBytes === undefined ? {} : { maxOutputLength: mostBytes };
  if (name.endsWith('.gz')) return gunzipSync(bytes, options);
  return name.endsWith('.br') ? brotliDecompressSync(bytes, options) : bytes;
}
