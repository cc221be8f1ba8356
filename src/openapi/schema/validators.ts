import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { BlockedSignal } from '../../http/index.js';
import { createAjv, isForeignDialect, schemaError, type SchemaError } from './ajv.js';
import { TookTooLong, withDeadline } from '../load/deadline.js';
import { isReadable, UndecidedPattern } from './patterns.js';
import { at, fragmentOf } from './pointer.js';
import { isMarked, type Mark } from './joined-schemas.js';
import { exceedsExpansionLimit } from './schema-expansion-limit.js';
import { nodeKind, type NodeKind, schemaObjects, visitObjects } from '../visit-objects.js';
import { asList, asObject } from '../values.js';

/** One schema is compiled within this time. */
const limitMs = 3_000;

/** Why a schema cannot be applied. */
export interface SchemaProblem {
  readonly text: string;
  /** One that is too large exceeds the limits of this program, which says nothing against it. */
  readonly kind: 'too large' | 'lost reference' | 'invalid';
}

const unusable = (text: string): SchemaError => ({ pointer: '', keyword: '', wrong: text, text });

/** Validators for the schemas of one document, compiled when first asked for. */
export interface Validators {
  /** Errors of a value against the schema at a pointer; none where that does not compile, as it then says nothing. Throws BlockedSignal where it is too large to be judged. */
  errors(pointer: string, value: unknown): readonly SchemaError[];
  /** Why the schema at a pointer does not compile, or null. */
  problem(pointer: string): SchemaProblem | null;
  /** The schema at a pointer as it is applied: `true` in place of all that is of a foreign dialect. */
  schemaAt(pointer: string): unknown;
}

/** How the copy for Ajv is made. */
interface CopyRules {
  /** Whether a property need not be there although it is required. */
  readonly isOptional: (property: unknown) => boolean;
  /** The schemas whose dialect is that of the document unless they name one. */
  readonly outermost: ReadonlySet<unknown>;
  readonly isForeign: boolean;
  /** Names of dynamic anchors that stand in several places. */
  readonly ambiguous: ReadonlySet<string>;
  readonly takesNullable: boolean;
}

function ambiguousAnchors(document: Record<string, unknown>): ReadonlySet<string> {
  const [once, again] = [new Set<string>(), new Set<string>()];
  visitObjects(document, ({ node }) => {
    const name = node['$dynamicAnchor'];
    if (typeof name === 'string') (once.has(name) ? again : once).add(name);
  });
  return again;
}

/** Where a pattern for names cannot be read, any property may be one that it means. */
const readableProperties = (schemas: object): object =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => (isReadable(name) ? [name, schema] : ['', true])));

/**
 * A copy in which nothing but schemas can claim an identity, nothing is required that does not travel in this direction, and a schema of a
 * foreign dialect allows anything, as does a pattern that cannot be read. Without what Ajv has of its own: `nullable` means something in a
 * document of OpenAPI 3.0 only, beside a type, and an empty `enum` allows nothing.
 */
function forAjv(node: unknown, kind: NodeKind, rules: CopyRules): unknown {
  if (Array.isArray(node)) return node.map((one) => forAjv(one, kind, rules));
  const object = asObject(node);
  if (object === null) return node;
  const isSchema = kind === 'object';
  const dialect = isSchema ? object['$schema'] : undefined;
  if (typeof dialect === 'string' ? isForeignDialect(dialect) : rules.isForeign && rules.outermost.has(node))
    return true;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (kind === 'data' && /^\$(id|anchor|dynamicAnchor|ref|dynamicRef)$/.test(name)) continue;
    if (isSchema && name === 'nullable' && !(rules.takesNullable && 'type' in object)) continue;
    if (isSchema && name === 'pattern' && typeof value === 'string' && !isReadable(value)) continue;
    // A document is one resource of one dialect to Ajv, whatever its schemas are called by.
    if (isSchema && name === '$schema' && typeof value === 'string') continue;
    // Ajv does not find the outermost of several such anchors across resources, so what they stand for allows anything.
    if (isSchema && name === '$dynamicRef' && rules.ambiguous.has(String(value).split('#')[1] ?? '')) continue;
    const below = nodeKind(kind, name, value);
    const properties = isSchema && name === 'required' && Array.isArray(value) && asObject(object['properties']);
    Object.defineProperty(copy, name, {
      value: properties
        ? asList(value).filter((one) => typeof one !== 'string' || !rules.isOptional(properties[one]))
        : isSchema && below === 'data' && (name === 'const' || name === 'enum')
          ? value
          : name === 'patternProperties' && isSchema && asObject(value) !== null
            ? readableProperties(forAjv(value, below, rules) as object)
            : forAjv(value, below, rules),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  if (isSchema && Array.isArray(copy['enum']) && copy['enum'].length === 0) {
    delete copy['enum'];
    copy['not'] = {};
  }
  return copy;
}

/**
 * Validators over the raw document, references and their siblings as they stand. Properties that `unsent` marks, `readOnly` for requests and
 * `writeOnly` for answers, need not be there though they are required.
 */
export function createValidators(document: Record<string, unknown>, unsent: Mark | null = null): Validators {
  const compiled = new Map<string, ValidateFunction | SchemaProblem>();
  let copy: Record<string, unknown> | null = null;
  let ajv: Ajv2020 | SchemaProblem | null = null;

  const problemOf = (error: unknown): SchemaProblem => {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof TookTooLong || error instanceof RangeError) return { text, kind: 'too large' };
    return { text, kind: error instanceof Ajv2020.MissingRefError ? 'lost reference' : 'invalid' };
  };

  const whole = (): Record<string, unknown> =>
    (copy ??= forAjv(document, 'object', {
      isOptional: (property) => unsent !== null && isMarked(document, property, unsent),
      outermost: new Set(schemaObjects(document).map(({ schema }) => schema)),
      isForeign: isForeignDialect(document['jsonSchemaDialect']),
      ambiguous: ambiguousAnchors(document),
      takesNullable: String(document['openapi']).startsWith('3.0.'),
    }) as Record<string, unknown>);

  /** A place that the copy lacks belongs to a schema of another dialect. */
  const schemaAt = (pointer: string): unknown =>
    at(whole(), pointer) ?? (at(document, pointer) === undefined ? undefined : true);

  function compile(pointer: string): ValidateFunction | SchemaProblem {
    try {
      return withDeadline(limitMs, () => {
        if (ajv === null) {
          const fresh = createAjv();
          fresh.addSchema(whole(), 'doc', undefined, false);
          ajv = fresh;
        }
        if (!('compile' in ajv)) return ajv;
        if (exceedsExpansionLimit(document, at(document, pointer)))
          return { text: 'it applies too many schemas to one value', kind: 'too large' };
        return ajv.compile(schemaAt(pointer) === true || { $ref: `doc#${fragmentOf(pointer)}` });
      });
    } catch (error) {
      const problem = problemOf(error);
      // An Ajv that did not take the document, or was stopped, is of no more use.
      if (ajv === null || error instanceof TookTooLong) ajv = problem;
      return problem;
    }
  }

  const validator = (pointer: string): ValidateFunction | SchemaProblem => {
    const found = compiled.get(pointer) ?? compile(pointer);
    compiled.set(pointer, found);
    return found;
  };

  return {
    schemaAt,
    problem(pointer) {
      const found = validator(pointer);
      return typeof found === 'function' ? null : found;
    },
    errors(pointer, value) {
      const found = validator(pointer);
      if (typeof found !== 'function') {
        if (found.kind === 'too large')
          throw new BlockedSignal(`the schema at ${pointer} is too large to be applied: ${found.text}`);
        return [];
      }
      try {
        return found(value) ? [] : (found.errors ?? []).slice(0, 8).map(schemaError);
      } catch (error) {
        // A text that takes too long to match is not judged.
        if (error instanceof UndecidedPattern) return [];
        return [
          unusable(
            `the declared schema cannot be applied: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
          ),
        ];
      }
    },
  };
}
