import { child } from './schema/pointer.js';
import { findBelow } from './schema/joined-schemas.js';
import { jsonContent, type Operation } from './operations.js';
import { follow } from './schema/resolve.js';
import { asList, asObject, objectsIn } from './values.js';

/** Fields of a body that says which units are looked for. */
const searching =
  /^(limit|cursor|page.*|offset|sort.*|order.*|filters?|query|q|search|where|min.*|max.*|.+(From|To|Min|Max))$/;

/**
 * Whether a declared POST creates a unit: it answers 201, or shows one unit instead of a list. Where no answer is declared: whether its
 * body requires fields, none of which describes a search.
 */
export function createsUnit(document: unknown, operation: Operation): boolean {
  const responses = objectsIn(operation.operation['responses']);
  if (responses.some(([status]) => status === '201')) return true;
  for (const [status, raw] of responses.filter(([name]) => /^2/.test(name))) {
    const response = follow(document, raw, child(child(operation.pointer, 'responses'), status));
    const media = response === null ? null : jsonContent(document, response);
    const shows = (...path: string[]): boolean => findBelow(document, media, path) !== null;
    if (['items', 'units', 'results'].some((name) => shows('data', name, '*'))) return false;
    if (shows('data', 'id') || shows('data', 'unit')) return true;
  }
  const body = follow(document, operation.requestSchema, operation.requestPointer ?? '')?.node;
  const names = [...Object.keys(asObject(body?.['properties']) ?? {}), ...asList(body?.['required'])];
  return asList(body?.['required']).length > 0 && !names.some((name) => searching.test(String(name)));
}
