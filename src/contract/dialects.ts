import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { addFormats } from './formats.js';
import { placeOf } from './places.js';
import type { Place } from './places.js';
import { asObject } from './values.js';

/** A dialect of JSON Schema; `unknown` is one that nothing here can judge. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07' | 'unknown';

/** The dialect that a `$schema` or `jsonSchemaDialect` names; where there is none it is that of OpenAPI 3.1. */
export function dialectOf(uri: unknown): Dialect {
  if (typeof uri !== 'string' || /2020-12|spec\.openapis\.org/.test(uri)) return '2020-12';
  const found = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09)\/schema#?$/.exec(uri)?.[1];
  return found === 'draft-07' ? found : found === undefined ? 'unknown' : '2019-09';
}

/** The dialect of a schema: its own, or that which is in force around it. */
export function dialectAt(schema: unknown, around: Dialect): Dialect {
  const uri = asObject(schema)?.['$schema'];
  return typeof uri === 'string' ? dialectOf(uri) : around;
}

const options = { strict: false, logger: false, allErrors: true } as const;

/** Judges a schema without `$schema` by the meta-schema of a dialect; its `errors` tell what is wrong. */
export function metaOf(dialect: Exclude<Dialect, 'unknown'>): Pick<Ajv2020, 'validateSchema' | 'errors'> {
  if (dialect === 'draft-07') return addFormats(new Ajv(options));
  return addFormats(dialect === '2019-09' ? new Ajv2019(options) : new Ajv2020(options));
}

/** Keywords that are not taken over: those that later dialects brought, which say nothing in these, and those that have another name now. */
const left = {
  '2019-09': new Set(['$recursiveRef', '$recursiveAnchor', 'prefixItems', '$dynamicRef', '$dynamicAnchor']),
  'draft-07': new Set([
    ...['$recursiveRef', '$recursiveAnchor', 'prefixItems', '$dynamicRef', '$dynamicAnchor', '$anchor'],
    ...['dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
    ...['minContains', 'maxContains'],
  ]),
};
/** What counts beside a reference up to draft-07: nothing but what others may refer to. */
const besideRef = new Set(['$ref', 'definitions', '$defs']);

/** A schema, in the words of JSON Schema 2020-12 as far as its own keywords go; the schemas in it are left as they are. */
export function modernised(
  schema: Readonly<Record<string, unknown>>,
  dialect: '2019-09' | 'draft-07',
): Record<string, unknown> {
  const bare = dialect === 'draft-07' && typeof schema['$ref'] === 'string';
  const entries = Object.entries(schema).filter(([name]) => (bare ? besideRef.has(name) : !left[dialect].has(name)));
  const { items, additionalItems, ...rest } = Object.fromEntries(entries);
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items };
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
}

/** A copy of a schema, without its `$schema`, in which the schemas of other dialects allow anything, as they have meta-schemas of their own. */
export function ofOneDialect(schema: unknown, dialect: Dialect, place: Place = 'object'): unknown {
  if (place === 'data') return schema;
  if (Array.isArray(schema)) return schema.map((one) => ofOneDialect(one, dialect, place));
  const object = asObject(schema);
  if (object === null) return schema;
  if (place === 'object' && dialectAt(object, dialect) !== dialect) return true;
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => !(place === 'object' && name === '$schema' && typeof value === 'string'))
      .map(([name, value]) => [name, ofOneDialect(value, dialect, placeOf(place, name, value))]),
  );
}
