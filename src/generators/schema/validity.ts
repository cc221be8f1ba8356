import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, UndecidedPattern } from '../../openapi/index.js';
import { afterSerialisation, GenerationError, type JsonSchema } from './schema.js';

/** Judges a value as the service would meet it, after JSON serialisation; an empty list means valid. */
type Judge = (value: unknown) => readonly ErrorObject[];

const judges = new WeakMap<object, Judge>();
const parts = new WeakMap<object, WeakMap<object, JsonSchema>>();

/** Compiles a self-contained schema with Ajv (2020-12, all errors, formats asserted); throws {@link GenerationError}. */
export function judgeOf(schema: JsonSchema): Judge {
  const judge = (typeof schema === 'object' ? judges.get(schema) : undefined) ?? compile(schema);
  if (typeof schema === 'object') judges.set(schema, judge);
  return judge;
}

let current = { ajv: createAjv(), left: 100 };

/** Ajv keeps every schema that it compiled, and a run compiles thousands: an instance is dropped after a hundred. */
function instance(): Ajv2020 {
  if (current.left <= 0) current = { ajv: createAjv(), left: 100 };
  current.left -= 1;
  return current.ajv;
}

function compile(schema: JsonSchema): Judge {
  let validate: ValidateFunction;
  try {
    validate = instance().compile(schema);
  } catch (error) {
    throw new GenerationError(`The schema does not compile: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (value) => {
    const delivered = afterSerialisation(value);
    if (delivered === undefined) return [notJson];
    try {
      return validate(delivered) ? [] : (validate.errors ?? []).slice();
    } catch (error) {
      if (error instanceof UndecidedPattern) return [undecided];
      throw error;
    }
  };
}

const errorOf = (keyword: string, message: string): ErrorObject => ({
  keyword,
  instancePath: '',
  schemaPath: '#',
  params: {},
  message,
});

/** Says that a pattern took too long: the value is neither known to be valid nor to be invalid. */
export const undecided = errorOf('undecided', 'has a pattern that takes too long');
const notJson = errorOf('serialisation', 'is no JSON');

/** Whether the value is valid after serialisation. */
export function isValid(schema: JsonSchema, value: unknown): boolean {
  return judgeOf(schema)(value).length === 0;
}

/** A part of a bundled schema, made to stand alone by giving it the bundle's `$defs`. */
export function partOf(whole: JsonSchema, part: JsonSchema): JsonSchema {
  if (typeof part === 'boolean' || typeof whole === 'boolean' || whole['$defs'] === undefined || part === whole)
    return part;
  const known = parts.get(part)?.get(whole);
  if (known) return known;
  const joined = { ...part, $defs: whole['$defs'] };
  const inner = parts.get(part) ?? new WeakMap<object, JsonSchema>();
  inner.set(whole, joined);
  parts.set(part, inner);
  return joined;
}
