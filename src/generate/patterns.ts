import vm from 'node:vm';
import { guardedRegExp, readPattern, UndecidedPattern } from '../contract/patterns.js';
import type { RegExpEngine } from 'ajv/dist/types/index.js';

const budgetMs = 50;
const probeLength = 40;

/** A pattern ready for use; `hazard` says why it may not be, else null. */
export interface CompiledPattern {
  readonly source: string;
  readonly regExp: RegExp | null;
  readonly hazard: string | null;
  /** Throws {@link UndecidedPattern} where it takes too long on the text. */
  test(text: string): boolean;
}

/** Whether the text is known to match. */
export function surelyMatches(pattern: CompiledPattern, text: string): boolean {
  try {
    return pattern.test(text);
  } catch (error) {
    if (error instanceof UndecidedPattern) return false;
    throw error;
  }
}

const cache = new Map<string, CompiledPattern>();

/**
 * Compiles a stranger's `pattern` (ECMA-262 with the `u` flag, JSON Schema core §6.4; without it as a fallback).
 * One that backtracks exponentially runs under a time limit and is called a hazard.
 */
export function compilePattern(source: string): CompiledPattern {
  const known = cache.get(source);
  if (known) return known;
  const compiled = build(source);
  if (cache.size > 5000) cache.clear();
  cache.set(source, compiled);
  return compiled;
}

function build(source: string): CompiledPattern {
  const regExp = toRegExp(source);
  if (!regExp) return { source, regExp: null, hazard: 'is no regular expression', test: () => true };
  if (isCheap(source) || !isSlow(regExp)) return { source, regExp, hazard: null, test: (text) => regExp.test(text) };
  const guarded = guardedRegExp(source);
  return { source, regExp, hazard: 'takes exponential time', test: (text) => guarded.test(text) };
}

function toRegExp(source: string): RegExp | null {
  try {
    return readPattern(source).regExp;
  } catch {
    return null;
  }
}

/** No two quantifiers of open length can compete in these. */
function isCheap(source: string): boolean {
  const bare = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]?/g, 'x');
  return (bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length <= 1;
}

function isSlow(regExp: RegExp): boolean {
  const alphabet = ['a', '0', ' ', '-', '.', '@', 'A', '_', '/', '+', 'é', 'a0', 'a.', 'a-', 'a ', '0-', '0 '];
  return alphabet.some((unit) => {
    const pumped = unit.repeat(probeLength / unit.length);
    return [`${pumped}\u0001`, `+${pumped}\u0001`].some(
      // A busy machine may lose one short time limit; an exponential pattern loses a long one as well.
      (text) => limitedTest(regExp, text) === undefined && limitedTest(regExp, text, 8 * budgetMs) === undefined,
    );
  });
}

function limitedTest(regExp: RegExp, text: string, limitMs = budgetMs): boolean | undefined {
  try {
    return vm.runInNewContext('regExp.test(text)', { regExp, text }, { timeout: limitMs }) === true;
  } catch {
    return undefined;
  }
}

/** Lets Ajv run patterns through {@link compilePattern}, so that no document can hang the suite. */
export const patternEngine: RegExpEngine = Object.assign(
  (source: string) => {
    const compiled = compilePattern(source);
    // Ajv tells engines apart by their text: without it, all patterns of a schema would share the first one's engine.
    return { test: (text: string) => compiled.test(text), toString: () => `/${source}/` };
  },
  { code: 'compilePattern' },
);
