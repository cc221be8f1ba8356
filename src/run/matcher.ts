import type { AnswerPart, Exchange } from '../http/index.js';

/** The result of a matcher: whether the value is as expected, and both in the words of the report. */
export interface Match {
  readonly pass: boolean;
  /** The kind of breach, as in `Breach`. */
  readonly code: string;
  /** The expectation of the requirement: "at most 5 units". */
  readonly expected: string;
  /** The observed value: "7 units". */
  readonly actual: string;
  /** The part of the document or of the answer that it is about. */
  readonly field?: string;
  readonly part?: AnswerPart;
  /** Not to match is against a recommendation only. */
  readonly soft?: boolean;
}

/** Judges one value; sends nothing and records nothing. */
export type Matcher<T> = (value: T) => Match;

/** Something that was read from the service, with the exchanges that show it. */
export type Evidence =
  | Exchange
  | readonly Exchange[]
  | { readonly exchange: Exchange }
  | { readonly pages: readonly { readonly exchange: Exchange }[] };

/** The exchanges behind a value. */
export function exchangesOf(evidence: Evidence): Exchange[] {
  if ('length' in evidence) return [...evidence];
  if ('pages' in evidence) return evidence.pages.map((page) => page.exchange);
  return 'exchange' in evidence ? [evidence.exchange] : [evidence];
}

/** A matcher from the code of its breach, what it expects, a test, how to show a value that fails it, and the part that is wrong: the value itself, or what stands at a pointer in it. */
export function matcher<T>(
  code: string,
  expected: string,
  test: (value: T) => boolean,
  show: (value: T) => string,
  part: 'status' | `/${string}` | '' = '',
): Matcher<T> {
  return (value) => ({
    pass: test(value),
    code,
    expected,
    actual: show(value),
    part: part === 'status' ? part : { value, pointer: part },
  });
}
