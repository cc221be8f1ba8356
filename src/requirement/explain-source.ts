import type { Level } from './types.js';

/** The meaning of each level, in a sentence. */
export const levelMeanings: Readonly<Record<Level, string>> = {
  MUST: 'the specification, a standard that it names, or the rule of a pack says it: a breach fails',
  DECLARED: "the service's own OpenAPI document says it: a breach fails",
  SHOULD: 'a standard, or the rule of a pack, recommends it where the specification is silent: a breach warns',
  OBSERVE: 'the specification leaves it open: what is seen is recorded, nothing is demanded',
};

/** A source in words: sections without the name of a standard before them are those of the specification. */
export function explainSource(source: string): string {
  return source.startsWith('§') ? `specification ${source}` : source;
}
