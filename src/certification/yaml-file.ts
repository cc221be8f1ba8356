import { readFileSync, statSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseDocument } from 'yaml';
import { schemaError } from '../openapi/index.js';
import { orSettingsError, SettingsError } from '../settings/index.js';

/** A day such as `2027-01-31`: one that is none, such as `2027-31-01`, would compare with others as a text. */
export const dayPattern = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$';

const mostBytes = 256 * 1024;

/** Reads a small text file that a person names; throws SettingsError that ends with `fix`, which begins with "expected". */
export function readSmallFile(file: string, fix: string): string {
  return orSettingsError(
    () => {
      if (statSync(file).size > mostBytes)
        throw new SettingsError(`${file} is larger than ${mostBytes / 1024} KiB: ${fix}.`);
      return readFileSync(file, 'utf8');
    },
    (code) => `${file} cannot be read (${code}): ${fix}.`,
  );
}

/**
 * The value of a YAML text: maps, lists, and scalars that stay texts, so that a day is no time stamp and a version no number. Throws
 * SettingsError; aliases, tags and a second key of one name are refused.
 */
export function parseYaml(text: string, shownName: string, fix: string): unknown {
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: true,
    strict: true,
    stringKeys: true,
    prettyErrors: true,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined)
    throw new SettingsError(
      `${shownName} is no usable YAML (${problem.message.split('\n')[0]?.replace(/:$/, '') ?? ''}): ${fix}.`,
    );
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new SettingsError(`${shownName} uses aliases: ${fix}.`);
  }
}

/** To compile a schema takes longer than all the rest. */
const compiled = new WeakMap<object, ValidateFunction>();

/** The value of a YAML text that this JSON Schema (of texts, lists and maps) accepts; throws SettingsError that names the first place that is wrong. */
export function parseYamlAs(text: string, shownName: string, schema: { readonly description: string }): unknown {
  const fix = `expected ${schema.description}`;
  const value = parseYaml(text, shownName, fix);
  const validate = compiled.get(schema) ?? new Ajv2020().compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return value;
  const [first] = validate.errors ?? [];
  const what =
    first === undefined
      ? 'is wrong'
      : schemaError({ ...first, instancePath: first.instancePath || 'the top level' }).text;
  throw new SettingsError(`${shownName}: ${what}: ${fix}.`);
}
