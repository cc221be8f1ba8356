import { jsonContent, type Parameter } from './operations.js';
import { asList, asObject } from './values.js';

/** Names and values of a query, as they are before percent-encoding. */
export type Pairs = readonly (readonly [string, string])[];

const delimiters: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** A plain value as text; null for what no style but JSON can carry. */
function textOf(value: unknown): string | null {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/**
 * A value as the declaration of its parameter has it sent (OpenAPI 3.1 §4.8.12: `content`, `style`, `explode`); null where it does not say. An
 * object is sent only where the declaration names the way: many leave out the style of a parameter that they have a client fill with JSON.
 */
export function serialized(document: unknown, parameter: Parameter, value: unknown): Pairs | null {
  const { name, node } = parameter;
  const media = jsonContent(document, parameter);
  const plain = textOf(value);
  // A text beside the schema of an object is that object as JSON already.
  const isJson = typeof value === 'string' && asObject(media?.node['schema'])?.['type'] === 'object';
  if (media !== null) return [[name, isJson ? value : JSON.stringify(value)]];
  if (plain !== null) return [[name, plain]];
  const style = typeof node['style'] === 'string' ? node['style'] : parameter.in === 'query' ? 'form' : 'simple';
  const explode = typeof node['explode'] === 'boolean' ? node['explode'] : style === 'form';
  const members = Object.entries(asObject(value) ?? {}).filter(([, one]) => one !== null);
  const texts = (Array.isArray(value) ? asList(value) : members.map(([, one]) => one)).map(textOf);
  if (texts.length === 0 || !texts.every((one) => one !== null)) return null;
  const delimiter = delimiters[style];
  if (Array.isArray(value)) {
    if (delimiter === undefined) return null;
    return explode && parameter.in === 'query' ? texts.map((one) => [name, one]) : [[name, texts.join(delimiter)]];
  }
  if (node['style'] === undefined) return null;
  const pairs = members.map(([key], at) => [key, texts[at] ?? ''] as const);
  if (style === 'deepObject') return pairs.map(([key, one]) => [`${name}[${key}]`, one]);
  if (delimiter === undefined) return null;
  if (!explode) return [[name, pairs.flat().join(delimiter)]];
  if (parameter.in === 'header') return [[name, pairs.map(([key, one]) => `${key}=${one}`).join(delimiter)]];
  return style === 'form' ? pairs : null;
}
