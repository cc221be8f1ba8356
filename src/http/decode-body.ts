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

/** The strings (a name with its colon), numbers and braces of a JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}]/g;

/** Whether a double need not have this number, as it was written (RFC 8259 §6). */
const isBeyondDouble = (number: string): boolean =>
  /^-?\d{16,}$/.test(number) ? !Number.isSafeInteger(Number(number)) : !Number.isFinite(Number(number));

/** Whole numbers beyond 2^53 − 1 as they were written, by the object or array that holds them. */
const written = new WeakMap<object, Map<string, string>>();

/** The different numbers that were written at a place of two objects or arrays, where both are beyond 2^53 − 1; else null. */
export function differentAt(one: object, other: object, place: string | number): readonly [string, string] | null {
  const [left, right] = [one, other].map((holder) => written.get(holder)?.get(String(place)));
  return left === undefined || right === undefined || left === right ? null : [left, right];
}

/** The JSON value of a text, or undefined when it is none. */
export function decodeJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    let mark = '#';
    while (text.includes(mark)) mark += '#';
    const marked = /\d{16}/.test(text)
      ? text.replace(tokens, (one) => (/^-?\d{16,}$/.test(one) && isBeyondDouble(one) ? `"${mark}${one}"` : one))
      : text;
    if (marked === text) return value;
    return JSON.parse(marked, function keep(this: object, place: string, one: unknown): unknown {
      const number = typeof one === 'string' && one.startsWith(mark) ? one.slice(mark.length) : '';
      if (!/^-?\d{16,}$/.test(number)) return one;
      written.set(this, (written.get(this) ?? new Map<string, string>()).set(place, number));
      return Number(number);
    });
  } catch {
    return undefined;
  }
}

/** Something in a JSON text that its readers take in different ways: a member twice in one object, or a number that a double cannot hold; null for none. */
export function ambiguityIn(text: string): string | null {
  const open: Set<string>[] = [];
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (!token.startsWith('"')) {
      if (isBeyondDouble(token)) return `the number ${token.slice(0, 60)} (RFC 8259 §6: beyond ±(2^53 − 1))`;
    } else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      if (open.at(-1)?.has(name) === true) return `${JSON.stringify(name)} twice in one object (RFC 8259 §4)`;
      open.at(-1)?.add(name);
    }
  }
  return null;
}
