/** A schema of JSON. */
export type Schema = Record<string, unknown>;

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const instant: Schema = { type: 'string', format: 'date-time' };

/** A text of at least one character. */
export const upTo = (maxLength: number): Schema => ({ type: 'string', minLength: 1, maxLength });
export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: [...values] });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const ref = (name: string, kind = 'schemas'): Schema => ({ $ref: `#/components/${kind}/${name}` });

/** An object; its properties are required unless their names end in a question mark. */
export function object(members: Record<string, Schema>): Schema {
  const properties = Object.fromEntries(Object.entries(members).map(([name, one]) => [name.replace('?', ''), one]));
  return { type: 'object', required: Object.keys(members).filter((name) => !name.endsWith('?')), properties };
}
