import { at, child, fragmentOf, localPointer } from './pointer.js';
import { asObject } from './values.js';

/**
 * A Discriminator Object whose mapping holds nothing but pointers into the document: the bare name of a schema becomes the pointer to it, and
 * whatever leads elsewhere is left out. Entries that are no text stay as they are; anything but an object comes back unchanged.
 */
export function localMapping(document: Record<string, unknown>, discriminator: unknown): unknown {
  const mapping = asObject(asObject(discriminator)?.['mapping']);
  if (mapping === null) return discriminator;
  const entries = Object.entries(mapping).flatMap(([value, named]) => {
    if (typeof named !== 'string') return [[value, named]];
    const schema = child('/components/schemas', named);
    const pointer = at(document, schema) === undefined ? localPointer(named) : schema;
    return pointer === null ? [] : [[value, `#${fragmentOf(pointer)}`]];
  });
  return { ...asObject(discriminator), mapping: Object.fromEntries(entries) as unknown };
}
