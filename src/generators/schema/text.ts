import fc from 'fast-check';

const letters = ([min, max]: readonly [number, number]): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((codePoint) => String.fromCodePoint(codePoint));

/** Assigned, printable characters only: no controls, no bidirectional overrides, no lone surrogates. */
const scripts: readonly fc.Arbitrary<string>[] = ([
  [0x61, 0x7a], [0x41, 0x5a], [0xc0, 0xd6], [0xe0, 0xf6], [0x100, 0x17f], [0x391, 0x3a1], [0x410, 0x44f], [0x561, 0x587], [0x5d0, 0x5ea],
  [0x627, 0x63a], [0x905, 0x939], [0xe01, 0xe2e], [0x10d0, 0x10f0], [0x3041, 0x3096], [0x4e00, 0x9fa5], [0xac00, 0xd7a3], [0x10330, 0x1034a],
  [0x20000, 0x2a6d6],
] as const).map(letters); // prettier-ignore

/** Mathematical letters and emoji: characters that no name of a person has. */
const symbols = ([[0x1d49c, 0x1d49c], [0x1d400, 0x1d419], [0x1f600, 0x1f64f]] as const).map(letters); // prettier-ignore

/** Grapheme clusters of several code points. */
const clusters: readonly string[] = [
  'e\u0301', 'o\u0323\u0302', 'n\u0303', '\u0928\u093f', '\u0e01\u0e33', '👩\u200d👩\u200d👧\u200d👦', '🏳\ufe0f\u200d🌈', '👍🏽', '🇩🇪',
  '1\ufe0f\u20e3',
]; // prettier-ignore

const marks: readonly string[] = [
  ...Array.from('\'’"`<>&/\\;:,.-_()[]{}%$#@!?*+=|~^´«»“”…–— '),
  ..."O' </b> &amp; %20 \\n ${x} {{y}} --".split(' '),
];

const piece: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.oneof(...scripts, ...symbols), weight: 6 },
  { arbitrary: fc.constantFrom(...marks), weight: 3 },
  { arbitrary: fc.constantFrom(...clusters), weight: 1 },
);

const personPiece: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.oneof(...scripts), weight: 12 },
  { arbitrary: fc.constantFrom(' ', "'", '’', '-', 'e\u0301', 'o\u0323\u0302', 'n\u0303', '\u0928\u093f'), weight: 1 },
);

/** Text of letters, marks and what stands between them in names, `min` to `max` code points long before it is filtered. */
export function personArbitrary(min: number, max: number): fc.Arbitrary<string> {
  return fc
    .array(personPiece, { minLength: min, maxLength: Math.min(max, min + 22) })
    .map((pieces) => cut(pieces.join(''), max));
}

/** How many Unicode code points the text has; what `minLength` and `maxLength` count (JSON Schema validation §6.3). */
export function codePoints(text: string): number {
  return Array.from(text).length;
}

/** The text's first code points; never cuts a surrogate pair. */
export function cut(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('');
}

/** The text repeated and cut to exactly `length` code points, without blanks at its ends. */
export function stretch(text: string, length: number): string {
  const unit = Array.from(text);
  if (unit.length === 0 || length <= 0) return '';
  const points = Array.from({ length }, (_, index) => unit[index % unit.length] ?? 'x');
  if (points[0]?.trim() === '') points[0] = 'x';
  if (points.at(-1)?.trim() === '') points[points.length - 1] = 'x';
  return points.join('');
}

/** Free of controls, of separators other than the plain blank, of blanks at its ends. */
export function isTame(text: string): boolean {
  return text === text.trim() && !/[\p{Cs}\p{Cc}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u.test(text);
}

/** Text over all scripts, `min` to `max` code points long, tame in the sense of {@link isTame}. */
export function textArbitrary(min: number, max: number): fc.Arbitrary<string> {
  const high = Math.min(max, Math.max(min + 24, min * 2));
  if (high <= 0) return fc.constant('');
  return fc
    .tuple(
      fc.array(piece, { minLength: min > 0 ? 1 : 0, maxLength: Math.max(1, Math.min(high, 48)) }),
      fc.integer({ min, max: high }),
    )
    .map(([pieces, length]) => {
      const text = cut(pieces.join(''), high).trim();
      if (codePoints(text) >= min) return text;
      return stretch(`${text}${text === '' ? 'Ana Ωmega 木村' : ''}`, Math.max(min, Math.min(length, high)));
    });
}
