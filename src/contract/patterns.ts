import { createContext, Script } from 'node:vm';

/** Whether a pattern may take exponential or high polynomial time: a group that repeats, or several repetitions of open length. */
function mayExplode(pattern: string): boolean {
  const bare = pattern.replace(/\\[^]/g, 'x').replace(/\[[^\]]*\]?/g, 'x');
  return (
    /\)([+*?]|\{\d)/.test(bare) ||
    /\\[1-9k]/.test(pattern) ||
    (bare.match(/[+*]|\{\d+,\}|\{\d+,\d{3,}\}/g) ?? []).length > 2
  );
}

/** A pattern as ECMA-262 reads it: with the `u` flag, or without it where only that compiles. Throws SyntaxError where neither does. */
export function readPattern(pattern: string): { readonly regExp: RegExp; readonly unicode: boolean } {
  try {
    return { regExp: new RegExp(pattern, 'u'), unicode: true };
  } catch {
    return { regExp: new RegExp(pattern), unicode: false };
  }
}

/** Up to this many characters, a pattern that does not explode takes no time worth speaking of. */
const harmlessLength = 5_000;

const matching = new Script('regExp.test(text)');
const room = createContext({ regExp: null, text: '' });

/** After this many texts that took too long, a pattern is not asked any more. */
const patience = 3;

/** A pattern took too long on a text: whether it matches is not known, so nothing may be concluded from it. */
export class UndecidedPattern extends Error {
  override readonly name = 'UndecidedPattern';
}

/** A matcher for a pattern of a document; throws {@link UndecidedPattern} where it takes longer than 200 ms on a text. */
export function guardedRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const { regExp } = readPattern(pattern);
  const explodes = mayExplode(pattern);
  let exhausted = 0;
  return {
    test(text) {
      if (!explodes && text.length <= harmlessLength) return regExp.test(text);
      if (exhausted >= patience) throw new UndecidedPattern(pattern);
      try {
        Object.assign(room, { regExp, text });
        return matching.runInContext(room, { timeout: 200 }) === true;
      } catch {
        exhausted += 1;
        throw new UndecidedPattern(pattern);
      }
    },
    // Ajv tells matchers apart by their text: without it, all of a document's guarded patterns would be the first one.
    toString: () => String(regExp),
  };
}
