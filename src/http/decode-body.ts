import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Undoes content-encoding, bounded to `maxBytes`; throws where the bytes are not what the header says. */
export function decodeBody(bytes: Buffer, contentEncoding: string | undefined, maxBytes: number): Buffer {
  let out = bytes;
  const steps = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((step) => step.trim())
    .filter(Boolean)
    .reverse();
  for (const step of steps) {
    const options = { maxOutputLength: maxBytes };
    if (out.length === 0 || step === 'identity') continue;
    else if (step === 'gzip' || step === 'x-gzip') out = gunzipSync(out, options);
    else if (step === 'br') out = brotliDecompressSync(out, options);
    else if (step === 'deflate')
      out = ((out[0] ?? 0) & 0x0f) === 8 ? inflateSync(out, options) : inflateRawSync(out, options);
    else throw new Error(`content-encoding "${step}" was not asked for`);
  }
  return out;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of the bytes, or null when they are not valid UTF-8; a byte order mark is kept. */
export function decodeText(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The JSON value of a text, or undefined when it is none. */
export function decodeJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
