import { child } from '../schema/pointer.js';
import { follow, type Located } from '../schema/resolve.js';
import { asList, asObject, objectsIn } from '../values.js';

/** A schema of one document. */
export interface LocatedSchema {
  readonly document: unknown;
  readonly schema: unknown;
  readonly pointer: string;
}

/** The schema below a media type, a parameter or another object; null where there is none. */
export function schemaBelow(document: unknown, holder: Located | null): LocatedSchema | null {
  const schema = holder?.node['schema'];
  return holder === null || schema === undefined
    ? null
    : { document, schema, pointer: child(holder.pointer, 'schema') };
}

/** The identity of a branch: the schema that it refers to, and the values of fields that allow only some. */
interface Branch extends LocatedSchema {
  readonly ref: string | null;
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

function branchOf(placed: LocatedSchema): Branch {
  const ref = asObject(placed.schema)?.['$ref'];
  const node = follow(placed.document, placed.schema, placed.pointer)?.node ?? {};
  const tags = new Map(
    objectsIn(node['properties']).flatMap(([name, property]): [string, string[]][] => {
      const values = 'const' in property ? [property['const']] : property['enum'];
      return Array.isArray(values) ? [[name, values.map((value) => JSON.stringify(value))]] : [];
    }),
  );
  return { ...placed, ref: typeof ref === 'string' ? ref : null, tags };
}

/** The members of oneOf or anyOf; null where there are none. */
function branchesOf(placed: LocatedSchema): Branch[] | null {
  const here = follow(placed.document, placed.schema, placed.pointer);
  for (const word of ['oneOf', 'anyOf']) {
    const members = asList(here?.node[word]);
    if (here !== null && members.length > 0)
      return members.map((schema, index) =>
        branchOf({ document: placed.document, schema, pointer: child(child(here.pointer, word), index) }),
      );
  }
  return null;
}

function nameOf(branch: Branch): string {
  const [tag] = branch.tags;
  return branch.ref?.split('/').at(-1) ?? (tag === undefined ? 'a branch' : `${tag[0]} ${tag[1].join(' or ')}`);
}

/**
 * Names of branches of a request's oneOf or anyOf that the new document no longer accepts. Judged only where every old branch is identified
 * by a reference or by a field with listed values; other branches cannot be matched.
 */
export function lostBranches(
  pinned: LocatedSchema,
  served: LocatedSchema,
  accepts: (before: LocatedSchema, after: LocatedSchema) => boolean,
): string[] {
  const before = branchesOf(pinned);
  if (before === null || before.length < 2 || !before.every((one) => one.ref !== null || one.tags.size > 0)) return [];
  const whole = branchOf(served);
  const after = branchesOf(served) ?? [whole];
  // One schema in place of several may be all of them in one, with what they had in common.
  if (after[0] === whole && !before.some((one) => one.ref !== null && one.ref === whole.ref)) return [];
  return before.filter((old) => !after.some((now) => accepts(old, now))).map(nameOf);
}
