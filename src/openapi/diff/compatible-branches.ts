import { child } from '../schema/pointer.js';
import { follow, type Located, partsOf } from '../schema/resolve.js';
import { asObject, objectsIn } from '../values.js';

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
  readonly tags: readonly (readonly [name: string, values: string])[];
}

function branchOf(placed: LocatedSchema): Branch {
  const ref = asObject(placed.schema)?.['$ref'];
  const node = follow(placed.document, placed.schema, placed.pointer)?.node ?? {};
  const tags = objectsIn(node['properties']).flatMap(([name, property]): [string, string][] => {
    const values = 'const' in property ? [property['const']] : property['enum'];
    return Array.isArray(values) ? [[name, values.map((value) => JSON.stringify(value)).join(' or ')]] : [];
  });
  return { ...placed, ref: typeof ref === 'string' ? ref : null, tags };
}

/** The members of oneOf or anyOf; none where there are none. */
function branchesOf({ document, schema, pointer }: LocatedSchema): Branch[] {
  const here = follow(document, schema, pointer);
  const [first = []] = ['oneOf', 'anyOf'].map((word) => partsOf(here, word)).filter((parts) => parts.length > 0);
  return first.map((part) => branchOf({ document, ...part }));
}

/** The only member of oneOf or anyOf beside null: that, or null, is allowed. */
export function choiceBesideNull(document: unknown, here: Located | null): Located | null {
  for (const word of ['oneOf', 'anyOf']) {
    const members = partsOf(here, word).flatMap(({ schema, pointer }) => follow(document, schema, pointer) ?? []);
    const [only, ...others] = members.filter(({ node }) => node['type'] !== 'null');
    if (only !== undefined && others.length === 0 && members.length > 1) return only;
  }
  return null;
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
  if (before.length < 2 || !before.every((one) => one.ref !== null || one.tags.length > 0)) return [];
  const whole = branchOf(served);
  const branches = branchesOf(served);
  // One schema in place of several may be all of them in one, with what they had in common.
  if (branches.length === 0 && !before.some((one) => one.ref !== null && one.ref === whole.ref)) return [];
  const after = branches.length === 0 ? [whole] : branches;
  return before
    .filter((old) => !after.some((now) => accepts(old, now)))
    .map(({ ref, tags }) => ref?.split('/').at(-1) ?? tags[0]?.join(' ') ?? 'a branch');
}
