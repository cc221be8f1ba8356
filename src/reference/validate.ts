import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const compiled = new Map<string, ValidateFunction>();

/** Says what breaks a schema, as short sentences; validators are kept by the schema's text. */
export function violations(schema: object, value: unknown): readonly string[] {
  const text = JSON.stringify(schema);
  let validate = compiled.get(text);
  if (validate === undefined) {
    validate = new Ajv2020({ allErrors: false, strict: false }).compile(schema);
    if (compiled.size > 200) compiled.clear();
    compiled.set(text, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath === '' ? 'the body' : error.instancePath} ${error.message ?? 'is not valid'}`,
  );
}
