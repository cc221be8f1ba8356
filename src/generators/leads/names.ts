import fc from 'fast-check';
import { codePoints, cut, isTame, personArbitrary, stretch, textArbitrary } from '../schema/text.js';

/** Whether a value must be accepted, should be, or may be refused as the specification leaves it open. */
export type Strength = 'must' | 'should' | 'open';

/** A name worth a request of its own. */
export interface NamedText {
  readonly value: string;
  readonly label: string;
  readonly strength: Strength;
  /** Its length is what it is there to try. */
  readonly exact?: true;
}

/** The length that names are tried up to where the document declares no bound. */
export const usualLongestName = 200;

/** The longest name that a person is assumed to have, in characters. */
const longestOfPeople = 100;

/**
 * Whether people have such names: letters of any script, combining marks, apostrophes, hyphens and single blanks. Characters that Unicode keeps
 * for compatibility only (full-width letters, ligatures, mathematical letters) are none of names.
 */
export function isPersonName(text: string): boolean {
  return (
    /^\p{L}\p{M}*(?:[ '’-]?\p{L}\p{M}*)*$/u.test(text) &&
    text.normalize('NFKC') === text.normalize('NFC') &&
    codePoints(text) <= longestOfPeople
  );
}

const valid: readonly (readonly [string, string])[] = [
  ["Siobhán O'Neill", 'an apostrophe'],
  ['𠮷野 愛', 'letters beyond the basic plane'],
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
  const strengthOf = (text: string): Strength =>
    isPersonName(text) && (codePoints(text) > 1 || shortest >= 1) ? 'must' : 'should';
  const put = (value: string, label: string, strength = strengthOf(value)): number =>
    lengths.push({ value, label, strength, exact: true });
  for (const length of new Set([long, 65, longestOfPeople, 129, 256, short])) {
    if (length < short || length > long) continue;
    const text = stretch('Ana Example ', length);
    put(text, `${String(length)} characters`, declared || length <= longestOfPeople ? strengthOf(text) : 'open');
  }
  // JSON Schema counts characters; a service that counts in another way breaks no sentence of the specification.
  if (declared) put(stretch('😀é', long), `${String(long)} characters, half of them beyond the basic plane`, 'open');
  // One unit of UTF-16 each, so that characters are as many by every way of counting but that of bytes.
  if (declared) put(stretch('Жанна Примерова ', long), `${String(long)} Cyrillic characters`);
  // More than 200 bytes, yet within an ordinary body.
  put(stretch('नरेन्द्र मोहन ', Math.min(long, 76)), `${String(Math.min(long, 76))} Devanagari characters`);
  const quarter = Math.floor(long / 4);
  if (declared && long >= 8)
    put(
      stretch('😀é', quarter),
      'as many characters as fit by any way of counting, half of them beyond the basic plane',
    );
  const fit = (text: string): string =>
    codePoints(text) < shortest ? stretch(`${text} `, shortest) : cut(text, Math.min(longest, 10_000)).trim();
  const named = valid.map(([value, label]): NamedText => ({
    value: fit(value),
    label,
    strength: Buffer.byteLength(fit(value)) <= longest ? strengthOf(fit(value)) : 'open',
  }));
  const rest = open.map(([value, label]): NamedText => ({ value, label, strength: 'open' }));
  return [...named.slice(0, 8), ...lengths, ...named.slice(8), ...rest];
}

/** Names over all scripts, mostly those that people have: no controls, no blanks at the ends, `shortest` to `longest` code points. */
export function nameArbitrary(shortest: number, longest: number): fc.Arbitrary<string> {
  const low = Math.max(2, shortest);
  const high = Math.min(longest, longestOfPeople);
  if (high < low) return textArbitrary(Math.max(1, shortest), Math.max(1, longest)).filter(speakable);
  const fits = (text: string): boolean =>
    speakable(text) && codePoints(text) >= Math.min(low, high) && Buffer.byteLength(text) <= Math.max(high, low * 4);
  const any = textArbitrary(Math.min(low, high), high).filter(fits);
  const people = personArbitrary(Math.min(low, high), high).filter((text) => fits(text) && isPersonName(text));
  return fc.oneof({ arbitrary: people, weight: 3 }, { arbitrary: any, weight: 1 });
}

/** Not blank, tame, and no joiner or mark that lost its partner at either end. */
function speakable(text: string): boolean {
  return text !== '' && isTame(text) && /[\p{L}\p{N}\p{S}]/u.test(text) && !/^(?:\p{M}|\u200d)|\u200d$/u.test(text);
}
