import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { BlockedSignal } from '../http/signals.js';
import { createAjv, sayError } from './ajv.js';
import { dialectAt, dialectOf, modernised } from './dialects.js';
import type { Dialect } from './dialects.js';
import { isBomb } from './in-place.js';
import { UndecidedPattern } from './patterns.js';
import { at, fragmentOf, tokensOf } from './pointer.js';
import { placeOf } from './places.js';
import type { Place } from './places.js';
import { isMarked } from './read-only.js';
import { visitObjects } from './references.js';
import type { Mark } from './read-only.js';
import { schemaObjects } from './schema-objects.js';
import { asList, asObject } from './values.js';

/** Data that a validator compares with. */
const keptAsIs = new Set(['const', 'enum']);

/** Why a schema is neither compiled nor applied. */
const bomb = 'stands for more schemas than can be applied';

/** Whether a problem is this program's limit and no fault of the schema. */
export function tooDeep(problem: string): boolean {
  return problem.includes('call stack') || problem === bomb;
}

/** Validators for the schemas of one document, compiled when first asked for. */
export interface Validators {
  /** Errors of a value against the schema at a pointer, as words; a schema that does not compile is an error too. Throws BlockedSignal where it is too deep to be judged. */
  errors(pointer: string, value: unknown): readonly string[];
  /** Why the schema at a pointer does not compile, or null. */
  problem(pointer: string): string | null;
}

/** What a copy for Ajv is made by. */
interface Reading {
  /** Whether a property need not be there although it is required. */
  readonly bare: (property: unknown) => boolean;
  /** The outermost schemas, and the dialect of those that name none. */
  readonly outermost: ReadonlySet<unknown>;
  readonly base: Dialect;
  /** Names of dynamic anchors that stand in several places. */
  readonly ambiguous: ReadonlySet<string>;
}

function ambiguousAnchors(document: Record<string, unknown>): ReadonlySet<string> {
  const [once, again] = [new Set<string>(), new Set<string>()];
  visitObjects(document, (node) => {
    const name = node['$dynamicAnchor'];
    if (typeof name === 'string') (once.has(name) ? again : once).add(name);
  });
  return again;
}

/**
 * A copy in which nothing but schemas can claim an identity, OpenAPI 3.0's `nullable` stands only where Ajv can read it, nothing is required
 * that does not travel in this direction, and all is in one dialect; a schema of a dialect that is unknown allows anything.
 */
function forAjv(node: unknown, place: Place, reading: Reading, around: Dialect = '2020-12'): unknown {
  if (Array.isArray(node)) return node.map((one) => forAjv(one, place, reading, around));
  const raw = asObject(node);
  if (raw === null) return node;
  const dialect = place === 'object' ? dialectAt(raw, reading.outermost.has(raw) ? reading.base : around) : around;
  if (dialect === 'unknown') return true;
  const object = place === 'object' && dialect !== '2020-12' ? modernised(raw, dialect) : raw;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (place === 'data' && /^\$(id|anchor|dynamicAnchor|ref|dynamicRef)$/.test(name)) continue;
    if (place === 'object' && name === 'nullable' && (value !== true || object['type'] === undefined)) continue;
    // A document is one resource of one dialect to Ajv, whatever its schemas are called by.
    if (place === 'object' && name === '$schema') continue;
    // Ajv does not find the outermost of several such anchors across resources, so what they stand for allows anything.
    if (place === 'object' && name === '$dynamicRef' && reading.ambiguous.has(String(value).split('#')[1] ?? ''))
      continue;
    const below = placeOf(place, name, value);
    const properties =
      place === 'object' && name === 'required' && Array.isArray(value) && asObject(object['properties']);
    Object.defineProperty(copy, name, {
      value: properties
        ? asList(value).filter((one) => typeof one !== 'string' || !reading.bare(properties[one]))
        : keptAsIs.has(name) && below === 'data' && place === 'object'
          ? value
          : forAjv(value, below, reading, dialect),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** Whether the dialect of what stands at a pointer is unknown. */
function isUnknown(document: unknown, pointer: string, { outermost, base }: Reading): boolean {
  let node = document;
  let dialect: Dialect = '2020-12';
  for (const token of tokensOf(pointer) ?? []) {
    node = (node as Record<string, unknown> | null | undefined)?.[token];
    dialect = dialectAt(node, outermost.has(node) ? base : dialect);
    if (dialect === 'unknown') return true;
  }
  return false;
}

/**
 * Validators over the raw document, references and their siblings as they stand. Properties that `unsent` marks, `readOnly` for requests and
 * `writeOnly` for answers, need not be there though they are required.
 */
export function createValidators(document: Record<string, unknown>, unsent: Mark | null = null): Validators {
  const reading: Reading = {
    bare: (property) => unsent !== null && isMarked(document, property, unsent),
    outermost: new Set(schemaObjects(document).map(({ schema }) => schema)),
    base: dialectOf(document['jsonSchemaDialect']),
    ambiguous: ambiguousAnchors(document),
  };
  const compiled = new Map<string, ValidateFunction | string>();
  let ajv: Ajv2020 | null = null;
  let broken: string | null = null;

  function engine(): Ajv2020 | null {
    if (ajv !== null || broken !== null) return ajv;
    try {
      const fresh = createAjv();
      fresh.addSchema(forAjv(document, 'object', reading) as Record<string, unknown>, 'doc', undefined, false);
      ajv = fresh;
    } catch (error) {
      broken = error instanceof Error ? error.message : String(error);
    }
    return ajv;
  }

  function validator(pointer: string): ValidateFunction | string {
    let found = compiled.get(pointer);
    if (found !== undefined) return found;
    const used = engine();
    try {
      found =
        used === null
          ? (broken ?? 'unknown')
          : isBomb(document, at(document, pointer))
            ? bomb
            : used.compile(isUnknown(document, pointer, reading) || { $ref: `doc#${fragmentOf(pointer)}` });
    } catch (error) {
      found = error instanceof Error ? error.message : String(error);
    }
    compiled.set(pointer, found);
    return found;
  }

  return {
    problem(pointer) {
      const found = validator(pointer);
      return typeof found === 'string' ? found : null;
    },
    errors(pointer, value) {
      const found = validator(pointer);
      if (found === bomb) throw new BlockedSignal(`the schema at ${pointer} ${bomb}`);
      if (typeof found === 'string' && tooDeep(found))
        throw new BlockedSignal(`the schema at ${pointer} is nested too deep to be compiled`);
      if (typeof found === 'string') return [`the declared schema does not compile: ${found.slice(0, 200)}`];
      try {
        return found(value) ? [] : (found.errors ?? []).slice(0, 8).map(sayError);
      } catch (error) {
        // What takes too long to be matched is not judged.
        if (error instanceof UndecidedPattern) return [];
        return [`the declared schema cannot be applied: ${error instanceof Error ? error.message.slice(0, 200) : ''}`];
      }
    },
  };
}
