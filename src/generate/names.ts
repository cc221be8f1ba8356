import type fc from 'fast-check';
import { codePoints, cut, isTame, stretch, textArbitrary } from './text.js';

/** Whether a value must be accepted, or whether the specification leaves that open. */
export type Strength = 'must' | 'open';

/** A name worth a request of its own. */
export interface NamedText {
  readonly value: string;
  readonly label: string;
  readonly strength: Strength;
}

/** The length that names are tried up to where the document declares no bound. */
export const usualLongestName = 200;

/** Lengths above this may meet an undeclared limit of a service's own. */
const surelyAllowed = 100;

const must: readonly (readonly [string, string])[] = [
  ["Siobhán O'Neill", 'an apostrophe'],
  ['𠮷野 𝒜𝓃𝒶', 'letters beyond the basic plane'],
  ['Ana 😀', 'an emoji'],
  ['Ana "Annie" Example', 'double quotes'],
  ['Rene\u0301e Nguye\u0302\u0303n', 'combining marks, not composed'],
  ['نادية العلي', 'Arabic'],
  ['<b>Ana</b> & Söhne', 'markup and an ampersand'],
  ['Ana  Maria   Example', 'blanks in a row'],
  ['👩\u200d👩\u200d👧\u200d👦 Ana', 'a joined emoji'],
  ['David דוד Levi', 'both directions'],
  ['李 明', 'two ideographs'],
  ["Robert'); DROP TABLE leads;--", 'quotes and a semicolon'],
  ['Ana \\ Example/Sons', 'slashes of both kinds'],
  ['O’Brien «Ana» `x`', 'typographic quotes'],
  ['İbrahim Çağlar ışık', 'dotted and dotless i'],
  ['Großmann Straße ﬁ', 'sharp s and a ligature'],
  ['नरेन्द्र', 'Devanagari clusters'],
  ['สมชาย ใจดี', 'Thai'],
  ['Null', 'the word null'],
  ['Ａｎａ', 'full-width letters'],
  ['Å Å', 'two spellings of one letter'],
  ['👍🏽🇩🇪', 'modifiers and a flag'],
  ['Ana %00 %s {{x}} ${y} &lt;', 'placeholders and escapes as plain text'],
  ['김철수', 'Hangul'],
  ['constructor', 'a word of the language'],
  ['Αθηνά Жанна Հայկ', 'three alphabets'],
  ['Ana-Maria d’Arc, Jr. (3rd)', 'usual punctuation'],
  ['-1', 'a number as text'],
];

const open: readonly (readonly [string, string])[] = [
  ['', 'an empty name'],
  ['X', 'one letter'],
  ['\u00a0Ana\u2003Example', 'other blanks'],
  ['Ana\u2028Example', 'a line separator'],
  ['\u202eAna', 'a bidirectional override'],
  ['Ana\u0000Example', 'a NUL'],
  ['Ana\r\nExample\t1', 'control characters'],
  ['   ', 'blanks only'],
];

/** Names over many scripts, the demanding ones first; `longest` is the declared bound (Infinity = none declared). */
export function nameCandidates(shortest: number, longest: number): readonly NamedText[] {
  const short = Math.max(1, shortest);
  const lengths: NamedText[] = [];
  const declared = Number.isFinite(longest);
  const long = Math.min(longest, declared ? 10_000 : usualLongestName);
  for (const length of new Set([long, 65, 129, 256, short])) {
    if (length < short || length > long) continue;
    const strength = length <= (declared ? long : surelyAllowed) && (length > 1 || shortest >= 1) ? 'must' : 'open';
    lengths.push({ value: stretch('Ana Example ', length), label: `${String(length)} characters`, strength });
    if (length === long && declared)
      lengths.push({
        value: stretch('😀é', length),
        label: `${String(length)} characters, half of them beyond the basic plane`,
        // JSON Schema counts characters, and a service that counts otherwise is told so elsewhere; it is not failed for it.
        strength: 'open',
      });
    // One unit of UTF-16 each, so that characters are as many by every way of counting but that of bytes.
    if (length === long && declared)
      lengths.push({
        value: stretch('Жанна Примерова ', length),
        label: `${String(length)} Cyrillic characters`,
        strength,
      });
    if (length === long && declared && length >= 8)
      lengths.push({
        value: stretch('😀é', Math.floor(length / 4)),
        label: `as many characters as fit by any way of counting, half of them beyond the basic plane`,
        strength: Math.floor(length / 4) >= shortest ? 'must' : 'open',
      });
  }
  const fit = (text: string): string =>
    codePoints(text) < shortest ? stretch(`${text} `, shortest) : cut(text, Math.min(longest, 10_000)).trim();
  const named = must.map(([value, label]): NamedText => ({
    value: fit(value),
    label,
    strength: Buffer.byteLength(fit(value)) <= longest ? 'must' : 'open',
  }));
  const rest = open.map(([value, label]): NamedText => ({ value, label, strength: 'open' }));
  return [...named.slice(0, 8), ...lengths, ...named.slice(8), ...rest];
}

/** Names that must be accepted: all scripts, no controls, no blanks at the ends, `shortest` to `longest` code points. */
export function nameArbitrary(shortest: number, longest: number): fc.Arbitrary<string> {
  const low = Math.max(2, shortest);
  const high = Math.min(longest, surelyAllowed);
  if (high < low) return textArbitrary(Math.max(1, shortest), Math.max(1, longest)).filter(speakable);
  return textArbitrary(Math.min(low, high), high).filter(
    (text) =>
      speakable(text) && codePoints(text) >= Math.min(low, high) && Buffer.byteLength(text) <= Math.max(high, low * 4),
  );
}

/** Not blank, tame, and no joiner or mark that lost its partner at either end. */
function speakable(text: string): boolean {
  return text !== '' && isTame(text) && /[\p{L}\p{N}\p{S}]/u.test(text) && !/^(?:\p{M}|\u200d)|\u200d$/u.test(text);
}
