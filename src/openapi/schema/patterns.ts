import fc from 'fast-check';
import { TookTooLong, withDeadline } from '../load/deadline.js';

/** Whether a pattern may take exponential or high polynomial time: a group that repeats, or several repetitions of open length. */
function mayExplode(pattern: string): boolean {
  const bare = pattern.replace(/\\[^]/g, 'x').replace(/\[[^\]]*\]?/g, 'x');
  return (
    /\)([+*?]|\{\d)/.test(bare) ||
    /\\[1-9k]/.test(pattern) ||
    (bare.match(/[+*]|\{\d+,\}|\{\d+,\d{3,}\}/g) ?? []).length > 2
  );
}

/**
 * What other languages read otherwise than ECMA-262 does without its `u` flag: escapes as `\A`, `\z` and `\p{Alpha}`, `[[:alpha:]]` and other
 * classes within classes, and `{,3}`.
 */
const foreign = /(?<!\\)(?:\\\\)*(?:\\(?:[AaCEeFGgHhIiJjKLlMmNOoPpQqRTUVXYyZz]|[ux]\{)|\{,\d|\[(?:\\[^]|[^\]\\])*\[)/;

/**
 * A pattern as ECMA-262 reads it: with the `u` flag, or without it where only that compiles. Throws SyntaxError where neither does, or where
 * the pattern is surely meant for another language.
 */
export function readPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    if (foreign.test(pattern)) throw new SyntaxError('a pattern of another language');
    return new RegExp(pattern);
  }
}

/** Whether a pattern can be read; JSON Schema recommends only that it can (Validation §6.3.3), so one that cannot is not judged. */
export function isReadable(pattern: string): boolean {
  try {
    readPattern(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Up to this many characters, a pattern that does not explode takes no time worth speaking of. */
const harmlessLength = 5_000;

const limitMs = 200;

/** After this many texts that took too long, a pattern is not tried any more. */
const mostTimeouts = 3;

/** A pattern took too long on a text: whether it matches is not known, so nothing may be concluded from it. */
export class UndecidedPattern extends Error {
  override readonly name = 'UndecidedPattern';
}

const matchers = new Map<string, Pick<RegExp, 'test'>>();

/** The matcher for a pattern, whose `test` throws {@link UndecidedPattern} where it takes longer than 200 ms; throws SyntaxError where it cannot be read. */
export function guardedRegExp(pattern: string): Pick<RegExp, 'test'> {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const regExp = readPattern(pattern);
  const explodes = mayExplode(pattern);
  let timeouts = 0;
  const made = {
    test(text: string): boolean {
      if (!explodes && text.length <= harmlessLength) return regExp.test(text);
      if (timeouts >= mostTimeouts) throw new UndecidedPattern(pattern);
      try {
        return withDeadline(limitMs, () => regExp.test(text));
      } catch (error) {
        if (!(error instanceof TookTooLong)) throw error;
        timeouts += 1;
        throw new UndecidedPattern(pattern);
      }
    },
    // Ajv distinguishes matchers by their text: without it, all of a document's guarded patterns would be the first one.
    toString: () => String(regExp),
  };
  if (matchers.size > 2000) matchers.clear();
  matchers.set(pattern, made);
  return made;
}

/** Whether a text is known to match a pattern: not where that takes too long, or where the pattern is no regular expression. */
export function surelyMatches(pattern: string, text: string): boolean {
  try {
    return guardedRegExp(pattern).test(text);
  } catch {
    return false;
  }
}

/**
 * A few texts that a pattern describes, drawn by a seed. Look-around cannot be drawn from: texts for the rest of the pattern may match all the same.
 * None for back references.
 */
export function textsMatching(
  pattern: string,
  count: number,
  seed: number,
  size: fc.Size = 'small',
): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(readPattern(pattern), { size }), { numRuns: count, seed });
  } catch {
    const rest = pattern.replace(/\(\?<?[=!](?:[^()\\]|\\.|\([^()]*\))*\)/g, '').replaceAll('\\b', '');
    return rest === pattern ? [] : textsMatching(rest, count, seed, size);
  }
}
