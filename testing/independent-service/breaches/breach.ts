import type { Flavour } from '../types.js';

interface Extras {
  /** A warning is the right verdict. */
  readonly warns?: true;
  /** Why no requirement reports it yet. */
  readonly missed?: string;
  /** The flavours in which it shows; all unless given. */
  readonly needs?: (flavour: Flavour) => boolean;
}

/** A deliberate breach of the specification. */
export interface BreachEntry<Id extends string = string> extends Extras {
  readonly id: Id;
  /** The requirements that may report it, the one that says it best first. */
  readonly requirement: readonly [string, ...string[]];
  readonly section: string;
  readonly says: string;
}

/** `requirements` stand apart by a blank; `says` is what the section says, and in brackets what the service does instead. */
export function breach<const Id extends string>(
  id: Id,
  requirements: string,
  section: string,
  says: string,
  extras: Extras = {},
): BreachEntry<Id> {
  const [main = '', ...others] = requirements.split(' ');
  return { id, requirement: [main, ...others], section, says, ...extras };
}

/** Whether the document declares the shapes of answers. */
export const firmDoc = (f: Flavour): boolean => !f.doc.loose;
