import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { BlockedSignal } from '../http/signals.js';
import { createAjv, sayError } from './ajv.js';
import { fragmentOf } from './pointer.js';
import { asObject } from './values.js';

/** Whether a problem is this program's limit and no fault of the schema. */
export function tooDeep(problem: string): boolean {
  return problem.includes('call stack');
}

/** Validators for the schemas of one document, compiled when first asked for. */
export interface Validators {
  /** Errors of a value against the schema at a pointer, as words; a schema that does not compile is an error too. Throws BlockedSignal where it is too deep to be judged. */
  errors(pointer: string, value: unknown): readonly string[];
  /** Why the schema at a pointer does not compile, or null. */
  problem(pointer: string): string | null;
}

const data = new Set(['example', 'examples', 'default']);
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas', 'dependentSchemas', 'paths', 'webhooks', 'content', 'headers']);

/** A copy in which nothing but schemas can claim an identity, and OpenAPI 3.0's `nullable` stands only where Ajv can read it. */
function forAjv(node: unknown, inData: boolean, under: string): unknown {
  if (Array.isArray(node)) return node.map((one) => forAjv(one, inData, ''));
  const object = asObject(node);
  if (object === null) return node;
  const isMap = named.has(under);
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (inData && /^\$(id|anchor|dynamicAnchor|ref)$/.test(name)) continue;
    if (!isMap && name === 'nullable' && typeof value === 'boolean' && object['type'] === undefined) continue;
    const below = inData || (!isMap && (data.has(name) || name.startsWith('x-')));
    Object.defineProperty(copy, name, { value: forAjv(value, below, isMap ? '' : name), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** Validators over the raw document, references and their siblings as they stand. */
export function createValidators(document: Record<string, unknown>): Validators {
  const compiled = new Map<string, ValidateFunction | string>();
  let ajv: Ajv2020 | null = null;
  let broken: string | null = null;

  function engine(): Ajv2020 | null {
    if (ajv !== null || broken !== null) return ajv;
    try {
      const fresh = createAjv();
      fresh.addSchema(forAjv(document, false, '') as Record<string, unknown>, 'doc', undefined, false);
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
      found = used === null ? (broken ?? 'unknown') : used.compile({ $ref: `doc#${fragmentOf(pointer)}` });
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
      if (typeof found === 'string' && tooDeep(found)) throw new BlockedSignal(`the schema at ${pointer} is nested too deep to be compiled`);
      if (typeof found === 'string') return [`the declared schema does not compile: ${found.slice(0, 200)}`];
      try {
        return found(value) ? [] : (found.errors ?? []).slice(0, 8).map(sayError);
      } catch (error) {
        return [`the declared schema cannot be applied: ${error instanceof Error ? error.message.slice(0, 200) : ''}`];
      }
    },
  };
}
