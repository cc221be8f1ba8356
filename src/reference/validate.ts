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

/** The fields without the optional ones that are not valid; what is no object stays as it is. */
export function withoutInvalid(fields: unknown, schema: object): unknown {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return fields;
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: readonly string[];
  };
  const isKept = ([name, value]: [string, unknown]): boolean => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return property === undefined || required.includes(name) || violations(property, value).length === 0;
  };
  return Object.fromEntries(Object.entries(fields).filter(isKept));
}
