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

const aString = /"(?:[^"\\]|\\.)*"/g;

/** `{"a":1}` → `{"a": 1}`: blanks after colons and commas outside strings, as Python writes. */
const spaced = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (token) => (token === ':' || token === ',' ? `${token} ` : token));

/** `{"a":"é"}` → `{"a":"\\u00e9"}`: characters as escapes. */
const escaped = (text: string, characters: RegExp): string =>
  text.replace(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const slashed = (text: string): string => text.replace(aString, (inside) => inside.replaceAll('/', '\\/'));

const layouts: readonly (readonly [string, (value: unknown) => string])[] = [
  ['compact', (value) => JSON.stringify(value)],
  ['blanks after separators', (value) => spaced(JSON.stringify(value))],
  ...([1, 2, 4] as const).map(
    (by) => [`indented by ${by}`, (value: unknown) => JSON.stringify(value, null, by)] as const,
  ),
  ['indented by tabs', (value) => JSON.stringify(value, null, '\t')],
];

const styles: readonly (readonly [string, (text: string) => string])[] = [
  ['', (text) => text],
  ['non-ASCII letters escaped', (text) => escaped(text, /[\u007f-\uffff]/g)],
  ['slashes escaped', slashed],
  ['<, > and & escaped', (text) => text.replace(aString, (inside) => escaped(inside, /[<>&]/g))],
  ['non-ASCII letters and slashes escaped', (text) => escaped(slashed(text), /[\u007f-\uffff]/g)],
  ['composed Unicode (NFC)', (text) => text.normalize('NFC')],
  ['with a line feed at its end', (text) => `${text}\n`],
];

/** The other ways to write a JSON value that serialisers in use have; none of them needs to equal the body. */
export function renderings(value: unknown): readonly Rendering[] {
  const orders = [
    ['', value],
    ['keys sorted', sorted(value)],
  ] as const;
  return orders.flatMap(([order, ordered]) =>
    layouts.flatMap(([layout, write]) => {
      const text = write(ordered);
      return styles.map(([style, change]) => ({
        name: [layout, order, style].filter(Boolean).join(', '),
        text: change(text),
      }));
    }),
  );
}
