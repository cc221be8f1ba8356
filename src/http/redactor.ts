/** Replaces secret values, and their common encodings, by `[redacted:NAME]`. */
export interface Redactor {
  /** Adds a value that must not be shown; values under eight characters cannot be told from ordinary text, so only the Authorization header hides those. */
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

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const known: { form: string; mark: string }[] = [];
  // One look for all of them: most texts hold none.
  let any = /(?!)/;
  const latin = (text: string): string => {
    if (!any.test(text)) return text;
    let out = text;
    for (const { form, mark } of known) if (out.includes(form)) out = out.replaceAll(form, mark);
    return out;
  };
  return {
    add(name, value) {
      const mark = `[redacted:${name}]`;
      for (const form of encodings(value)) if (!known.some((entry) => entry.form === form)) known.push({ form, mark });
      known.sort((a, b) => b.form.length - a.form.length);
      any = new RegExp(known.map(({ form }) => form.replace(/[^\w]/g, '\\$&')).join('|') || '(?!)');
    },
    text: latin,
    bytes(bytes) {
      if (bytes.length === 0) return bytes;
      const before = bytes.toString('latin1');
      const after = latin(before);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
  };
}
