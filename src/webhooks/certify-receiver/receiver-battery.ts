import { createHash, createHmac } from 'node:crypto';
import type { HeaderLine } from '../../http/exchange.js';
import { escapeUnicode, spaced } from '../signatures/json-renderings.js';
import { hmacSha256 } from '../signatures/signature-search.js';
import type { ReceiverForm, Stamp } from './receiver-forms.js';

/** A delivery to a receiver. */
export interface Sent {
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

/** The context in which a case is made. */
export interface CaseTools {
  readonly form: ReceiverForm;
  readonly header: string;
  readonly otherSecret: string | null;
  /** A fresh event as an object, with free text in it. */
  event(note?: string): Record<string, unknown>;
  stamp(): Stamp;
}

/** One delivery to try. `accept` and `refuse` are demanded; `warn` should be refused; `observe` is only recorded. */
export interface BatteryCase {
  readonly name: string;
  readonly expected: 'accept' | 'refuse' | 'warn' | 'observe';
  /** The delivery, and the correctly signed twin that is sent before it where it has to be refused. */
  make(tools: CaseTools): { readonly sent: Sent; readonly twin: Sent | null };
}

interface SignOptions {
  /** The body that the signature is computed over; the one sent unless given. */
  readonly over?: Buffer;
  readonly key?: Buffer;
  readonly digest?: (message: Buffer, key: Buffer) => Buffer;
  /** Changes the encoded digest. */
  readonly change?: (text: string) => string;
  /** Makes the header lines of the whole value. */
  readonly lines?: (value: string, name: string) => readonly HeaderLine[];
}

/** Signs a body in the receiver's own form; `options` change a part of it. */
export function signed(tools: CaseTools, body: Buffer | string, options: SignOptions = {}): Sent {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const { form, header } = tools;
  const stamp = tools.stamp();
  const digest = (options.digest ?? ((message, key) => hmacSha256(key, message)))(
    form.message(options.over ?? bytes, stamp),
    options.key ?? form.key.key,
  );
  const value = form.wrap((options.change ?? ((text) => text))(form.encode(digest)), stamp);
  const lines = options.lines ? options.lines(value, header) : [[header, value] as const];
  return { body: bytes, headers: [['content-type', 'application/json'], ...form.extra(stamp), ...lines] };
}

const compact = (event: unknown): string => JSON.stringify(event);
const indented = (event: unknown): string => JSON.stringify(event, null, 2);
const blanked = (event: unknown): string => spaced(compact(event));
const escaped = (event: unknown): string => escapeUnicode(compact(event));
const slashed = (event: unknown): string => compact(event).replaceAll('/', '\\/');
const trailingZero = (event: unknown): string => compact(event).replaceAll('41250.5', '41250.50');
const lineFeed = (event: unknown): string => `${compact(event)}\n`;
const reversed = (event: unknown): string =>
  compact(Object.fromEntries(Object.entries(event as Record<string, unknown>).reverse()));
const note = 'Zoë Łódź \u{1f697} a/b';

type Write = (event: unknown) => string;

function accepted(name: string, write: Write, text?: string): BatteryCase {
  return { name, expected: 'accept', make: (tools) => ({ sent: signed(tools, write(tools.event(text))), twin: null }) };
}

/** Signed as one text, sent as another: both say the same JSON, or nearly. */
function rewritten(
  name: string,
  from: Write,
  to: (event: unknown, signedText: string) => string | Buffer,
  text?: string,
): BatteryCase {
  return {
    name,
    expected: 'refuse',
    make(tools) {
      const event = tools.event(text);
      const body = to(event, from(event));
      return {
        sent: signed(tools, body, { over: Buffer.from(from(event)) }),
        twin: signed(tools, from(tools.event(text))),
      };
    },
  };
}

/** Signed wrongly over the very body that is sent. */
function missigned(
  name: string,
  options: (tools: CaseTools) => SignOptions,
  expected: BatteryCase['expected'] = 'refuse',
): BatteryCase {
  return {
    name,
    expected,
    make: (tools) => ({
      sent: signed(tools, compact(tools.event()), options(tools)),
      twin: expected === 'observe' ? null : signed(tools, compact(tools.event())),
    }),
  };
}

const swap = (text: string, at: number): string => {
  const index = at < 0 ? text.length + at : at;
  return text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1);
};
const hash = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const lastByteChanged = (key: Buffer): Buffer =>
  Buffer.concat([key.subarray(0, -1), Buffer.from([(key.at(-1) ?? 0) ^ 1])]);
const otherKey = Buffer.from('not-the-secret-of-any-tenant-3141592653');

/** Every case, the correctly signed ones first. */
export function receiverBattery(tools: Pick<CaseTools, 'otherSecret'>): readonly BatteryCase[] {
  const anotherBody: BatteryCase = {
    name: 'the signature of another delivery',
    expected: 'refuse',
    make(given) {
      const twin = signed(given, compact(given.event()));
      return { twin, sent: signed(given, compact(given.event()), { over: twin.body }) };
    },
  };
  const textTwin: BatteryCase = {
    name: 'a replacement character (U+FFFD) exchanged for a byte that is no UTF-8, which only a comparison of decoded text takes for the same',
    expected: 'warn',
    make(given) {
      const event = given.event('x\ufffdx');
      const right = Buffer.from(compact(event));
      const at = right.indexOf(Buffer.from('\ufffd'));
      const wrong = Buffer.concat([right.subarray(0, at), Buffer.from([0xff]), right.subarray(at + 3)]);
      const all = Buffer.from(wrong.toString('latin1').replaceAll('\u00ef\u00bf\u00bd', '\u00ff'), 'latin1');
      return { sent: signed(given, all, { over: right }), twin: signed(given, compact(given.event('x\ufffdx'))) };
    },
  };
  const observed = (name: string, make: (given: CaseTools) => Sent): BatteryCase => ({
    name,
    expected: 'observe',
    make: (given) => ({ sent: make(given), twin: null }),
  });
  return [
    accepted('a compact body', compact),
    accepted('a body with blanks after separators', blanked),
    accepted('an indented body', indented),
    accepted('a body with letters outside ASCII', compact, note),
    accepted('a body with letters outside ASCII escaped', escaped, note),
    accepted('a body with slashes escaped', slashed, 'a/b'),
    accepted('a body that ends with a line feed', lineFeed),
    accepted('a body with a number that ends in 0', trailingZero),

    rewritten('one digit of totalGross changed', compact, (_event, text) => text.replaceAll('41250.5', '91250.5')),
    rewritten('one letter of a text changed', compact, (_event, text) => text.replaceAll('plain', 'plaim')),
    rewritten('one bit of the last digit flipped', compact, (_event, text) => text.replaceAll('41250.5', '41250.4')),
    rewritten('a field added', compact, (event) => compact({ ...(event as object), added: true })),
    rewritten('the body emptied', compact, () => ''),
    rewritten('the last byte cut off', compact, (_event, text) => text.slice(0, -1)),
    rewritten('a line feed added', compact, (_event, text) => `${text}\n`),
    rewritten('a line feed taken away', lineFeed, (event) => compact(event)),
    rewritten('a blank put before the body', compact, (_event, text) => ` ${text}`),
    rewritten('re-serialised: compact to indented', compact, indented),
    rewritten('re-serialised: indented to compact', indented, compact),
    rewritten('re-serialised: blanks after separators', compact, blanked),
    rewritten('re-serialised: blanks after separators taken away', blanked, compact),
    rewritten('re-serialised: fields in another order', compact, reversed),
    rewritten('re-serialised: letters outside ASCII escaped', compact, escaped, note),
    rewritten('re-serialised: escapes turned into letters', escaped, compact, note),
    rewritten('re-serialised: slashes escaped', compact, slashed, 'a/b'),
    rewritten('re-serialised: escaped slashes turned plain', slashed, compact, 'a/b'),
    rewritten('re-serialised: 41250.50 written as 41250.5', trailingZero, compact),
    rewritten('re-serialised: Unicode composed otherwise', compact, (_event, text) => text.normalize('NFD'), 'Zoë'),

    missigned('another secret', () => ({ key: otherKey })),
    ...(tools.otherSecret === null
      ? []
      : [missigned("the other tenant's secret", (given) => ({ key: Buffer.from(given.otherSecret ?? '') }))]),
    missigned('an empty secret', () => ({ key: Buffer.alloc(0) })),
    missigned('the secret with one letter more', (given) => ({
      key: Buffer.concat([given.form.key.key, Buffer.from('x')]),
    })),
    missigned('the secret with its last letter changed', (given) => ({ key: lastByteChanged(given.form.key.key) })),
    missigned('SHA-1 in place of SHA-256', () => ({
      digest: (message, key) => createHmac('sha1', key).update(message).digest(),
    })),
    missigned('SHA-1 said to be SHA-1', () => ({
      digest: (message, key) => createHmac('sha1', key).update(message).digest(),
      lines: (value, name) => [[name, `sha1=${value.slice(value.lastIndexOf('=', value.length - 3) + 1)}`]],
    })),
    missigned('SHA-512 in place of SHA-256', () => ({
      digest: (message, key) => createHmac('sha512', key).update(message).digest(),
    })),
    missigned('a plain SHA-256 of the body, without a secret', () => ({ digest: (message) => hash(message) })),
    missigned('a plain SHA-256 of secret and body', () => ({ digest: (message, key) => hash(key, message) })),
    anotherBody,
    missigned('no signature header', () => ({ lines: () => [] })),
    missigned('an empty signature header', () => ({ lines: (_value, name) => [[name, '']] })),
    missigned('what comes before the signature, without it', () => ({ change: () => '' })),
    missigned('the first half of the signature', () => ({ change: (text) => text.slice(0, text.length >> 1) })),
    missigned('the first eight characters of the signature', () => ({ change: (text) => text.slice(0, 8) })),
    missigned('the first character of the signature', () => ({ change: (text) => text.slice(0, 1) })),
    missigned('the signature without its last four characters', () => ({ change: (text) => text.slice(0, -4) })),
    missigned('the first character of the signature changed', () => ({ change: (text) => swap(text, 0) })),
    missigned('a character in the middle of the signature changed', () => ({
      change: (text) => swap(text, text.length >> 1),
    })),
    missigned('a character near the end of the signature changed', () => ({ change: (text) => swap(text, -6) })),
    missigned('a digest of zeros', () => ({ digest: () => Buffer.alloc(32) })),
    missigned('signs that no encoding has, as many as a signature', () => ({
      change: (text) => '!'.repeat(text.length),
    })),
    missigned('letters that are no hex, as many as a signature', () => ({ change: (text) => 'z'.repeat(text.length) })),
    ...['null', 'undefined', 'true'].map((word) =>
      missigned(`the word ${word} as signature`, () => ({ lines: (_value, name) => [[name, word]] })),
    ),
    missigned('two signature headers, both wrong', () => ({
      change: (text) => swap(text, 1),
      lines: (value, name) => [
        [name, value],
        [name, value],
      ],
    })),

    textTwin,
    missigned('the signature with characters after it', () => ({ change: (text) => `${text}zz` }), 'observe'),
    missigned(
      'the hex signature in upper case',
      () => ({ change: (text) => (/^[0-9a-f]+$/.test(text) ? text.toUpperCase() : text) }),
      'observe',
    ),
    missigned(
      'two signature headers, the right one first',
      () => ({
        lines: (value, name) => [
          [name, value],
          [name, swap(value, -6)],
        ],
      }),
      'observe',
    ),
    missigned(
      'two signature headers, the right one last',
      () => ({
        lines: (value, name) => [
          [name, swap(value, -6)],
          [name, value],
        ],
      }),
      'observe',
    ),
    missigned('a blank before and after the digest', () => ({ change: (text) => ` ${text} ` }), 'observe'),
    observed('an empty body, correctly signed', (given) => signed(given, '')),
    observed('a body that is no UTF-8, correctly signed', (given) => {
      const bytes = Buffer.from(compact(given.event('x#x')));
      return signed(given, Buffer.from(bytes.toString('latin1').replaceAll('x#x', 'x\u00ffx'), 'latin1'));
    }),
    observed('a body of 200 kB, correctly signed', (given) => signed(given, compact(given.event('x'.repeat(66_000))))),
  ];
}
