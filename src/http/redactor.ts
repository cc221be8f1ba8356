/** Replaces secret values, and their common encodings, by `[redacted:NAME]`. */
export interface Redactor {
  /** Adds a value that must not be shown; values under eight characters look like ordinary text, so only the Authorization header hides those. */
  add(name: string, value: string): void;
  text(text: string): string;
  bytes(bytes: Buffer): Buffer;
}

const shortest = 8;

function encodings(value: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    // A value inside a longer base64 text starts at any of three phases: keep the characters that only the value decides.
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)]).toString('base64');
    const start = Math.ceil((shift * 8) / 6);
    const end = Math.floor(((shift + Buffer.byteLength(value)) * 8) / 6);
    return encoded.slice(start, end);
  });
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  const hex = Buffer.from(value).toString('hex');
  const forms = [
    value,
    // Without a digit it may be an ordinary word then.
    ...(/\d/.test(value) ? [value.toLowerCase(), value.toUpperCase()] : []),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    json,
    json.replaceAll('/', '\\/'),
    // JSON in a JSON text, as an error that quotes a body has it.
    JSON.stringify(json).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

/** Two characters of a text as one number; characters above 255 share theirs with others. */
const pairAt = (text: string, at: number): number =>
  ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff);

/** A fast test that a text contains none of the forms, as most do not: nowhere stand the first eight characters of a form (after Wu and Manber). */
class Sieve {
  readonly #pairs = Array.from({ length: shortest / 2 }, () => new Uint8Array(0x10000));

  /** For two characters, how far before the end of the first eight of a form they stand at least; as far as there is room where no form has them. */
  readonly #distances = new Uint8Array(0x10000).fill(shortest - 1);

  add(form: string): void {
    for (let at = 0; at <= shortest - 2; at += 1) {
      const pair = pairAt(form, at);
      this.#distances[pair] = Math.min(this.#distances[pair] ?? 0, shortest - 2 - at);
    }
    for (const [nth, table] of this.#pairs.entries()) table[pairAt(form, 2 * nth)] = 1;
  }

  mayHold(text: string): boolean {
    const holds = (at: number): boolean => this.#pairs.every((table, nth) => table[pairAt(text, at + 2 * nth)] === 1);
    for (let at = 0; at <= text.length - shortest;) {
      const distance = this.#distances[pairAt(text, at + shortest - 2)] ?? 0;
      if (distance === 0 && holds(at)) return true;
      at += Math.max(1, distance);
    }
    return false;
  }
}

/** A redactor of these secrets by their names, and of those that are added. */
export function createRedactor(secrets: readonly (readonly [name: string, value: string])[] = []): Redactor {
  const known: { form: string; mark: string }[] = [];
  const sieve = new Sieve();
  const latin = (text: string): string => {
    if (!sieve.mayHold(text)) return text;
    let out = text;
    for (const { form, mark } of known) if (out.includes(form)) out = out.replaceAll(form, mark);
    return out;
  };
  const redactor: Redactor = {
    add(name, value) {
      const mark = `[redacted:${name}]`;
      for (const form of encodings(value)) {
        if (known.some((entry) => entry.form === form)) continue;
        known.push({ form, mark });
        sieve.add(form);
      }
      known.sort((a, b) => b.form.length - a.form.length);
    },
    text: latin,
    bytes(bytes) {
      if (bytes.length === 0) return bytes;
      const before = bytes.toString('latin1');
      const after = latin(before);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
  };
  for (const [name, value] of secrets) redactor.add(name, value);
  return redactor;
}
