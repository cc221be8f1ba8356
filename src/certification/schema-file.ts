import type { ValidateFunction } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import { decodeJson } from '../http/index.js';
import { createAjv, schemaError } from '../openapi/index.js';
import { type InputFile, wrongFile } from '../settings/index.js';
import type { Accepted } from '../typed-schema.js';

/** The most bytes of a file that people write. */
export const mostWritten = 256 * 1024;

/** A JSON Schema (2020-12) of a file, and in its description what is expected of the file. */
export interface FileSchema {
  readonly description: string;
}

/** A file by its name, and the flag that names it, if one does. */
type Named = string | Pick<InputFile, 'file' | 'by'>;

/** Each schema is compiled when first used, which takes longer than all the rest. */
const compiled = new WeakMap<object, ValidateFunction>();

/** What of a value a schema refuses, and where; null for nothing. */
export function refusedBy(schema: object, value: unknown): string | null {
  // The patterns are the suite's own, after a bound of length: they match however busy the machine is.
  const validate = compiled.get(schema) ?? createAjv({ allErrors: false, code: { optimize: false } }).compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return null;
  const [first] = validate.errors ?? [];
  return first === undefined ? '' : schemaError({ ...first, instancePath: first.instancePath || 'the top level' }).text;
}

const wrongIn = (named: Named, { description: expected }: FileSchema, found: string): Error =>
  wrongFile({ ...(typeof named === 'string' ? { file: named } : named), expected }, found);

/** The value, where the schema accepts it; throws SettingsError that names the first place that is wrong. */
export function acceptedBy<S extends FileSchema>(schema: S, value: unknown, named: Named): Accepted<S> {
  const refused = refusedBy(schema, value);
  if (refused !== null) throw wrongIn(named, schema, `is wrong (${refused})`);
  return value as Accepted<S>;
}

/** The value of a JSON text that a schema accepts; throws SettingsError. */
export function parseJsonAs<S extends FileSchema>(text: string, named: Named, schema: S): Accepted<S> {
  const value = decodeJson(text);
  if (value === undefined) throw wrongIn(named, schema, 'is no JSON');
  return acceptedBy(schema, value, named);
}

/**
 * The value of a YAML text: maps, lists, and scalars that stay texts, so that a day is no time stamp and a version no number. Throws
 * SettingsError; aliases, tags and a second key of one name are refused.
 */
export function parseYaml(text: string, named: Named, schema: FileSchema): unknown {
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: true,
    strict: true,
    stringKeys: true,
    prettyErrors: true,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined)
    throw wrongIn(named, schema, `is no usable YAML (${problem.message.split('\n')[0]?.replace(/:$/, '') ?? ''})`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw wrongIn(named, schema, 'uses aliases');
  }
}

/** The value of a YAML text that a schema (of texts, lists and maps) accepts; throws SettingsError. */
export const parseYamlAs = <S extends FileSchema>(text: string, named: Named, schema: S): Accepted<S> =>
  acceptedBy(schema, parseYaml(text, named, schema), named);
