/** A way in which a sender may have written the same JSON again before signing it. */
export interface Rendering {
  readonly name: string;
  readonly text: string;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

/** `{"a":"é"}` → `{"a":"\\u00e9"}`: letters outside ASCII as escapes. */
const escapeUnicode = (text: string): string =>
  text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** `{"a":1}` → `{"a": 1}`: blanks after colons and commas outside strings, as Python writes. */
function spaced(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (token) => (token === ':' || token === ',' ? `${token} ` : token));
}

function strings(text: string, change: (inside: string) => string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, change);
}

const textStyles: readonly (readonly [string, (text: string) => string])[] = [
  ['', (text) => text],
  ['non-ASCII letters escaped', escapeUnicode],
  ['slashes escaped', (text) => strings(text, (inside) => inside.replaceAll('/', '\\/'))],
  [
    '<, > and & escaped',
    (text) => strings(text, (inside) => inside.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)),
  ],
  [
    'non-ASCII letters and slashes escaped',
    (text) => escapeUnicode(strings(text, (inside) => inside.replaceAll('/', '\\/'))),
  ],
  ['composed Unicode (NFC)', (text) => text.normalize('NFC')],
  ['with a line feed at its end', (text) => `${text}\n`],
];

/** The other ways to write a JSON value that serialisers in use have; none of them needs to equal the body. */
export function renderings(value: unknown): readonly Rendering[] {
  const out: Rendering[] = [];
  for (const [order, ordered] of [
    ['', value],
    ['keys sorted', sorted(value)],
  ] as const) {
    const layouts: [string, string][] = [
      ['compact', JSON.stringify(ordered)],
      ['blanks after separators', spaced(JSON.stringify(ordered))],
      ['indented by 1', JSON.stringify(ordered, null, 1)],
      ['indented by 2', JSON.stringify(ordered, null, 2)],
      ['indented by 4', JSON.stringify(ordered, null, 4)],
      ['indented by tabs', JSON.stringify(ordered, null, '\t')],
    ];
    for (const [layout, text] of layouts) {
      for (const [style, write] of textStyles) {
        out.push({ name: [layout, order, style].filter(Boolean).join(', '), text: write(text) });
      }
    }
  }
  return out;
}
