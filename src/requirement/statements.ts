import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../version.js';

/** What the specification states in one place, in the suite's words. */
export interface Statement {
  /** `§4.1 List units`. */
  readonly section: string;
  readonly says: string;
  /** The requirements that test it. */
  readonly ids: readonly string[];
  /** Why none does; null where one does. */
  readonly untested: string | null;
}

/** Every statement of the specification, in its order. */
export function specificationStatements(): Statement[] {
  const text = readFileSync(join(packageRoot, 'requirements', 'statements.yaml'), 'utf8');
  // Ids of requirements, or why there are none.
  const sections = parse(text) as Readonly<Record<string, Readonly<Record<string, readonly string[] | string>>>>;
  return Object.entries(sections).flatMap(([section, statements]) =>
    Object.entries(statements).map(([says, tested]) =>
      typeof tested === 'string'
        ? { section, says, ids: [], untested: tested }
        : { section, says, ids: tested, untested: null },
    ),
  );
}
