import { at } from '../schema/pointer.js';
import { visitObjects } from './references.js';
import { asObject } from '../values.js';

/** The fragment of a reference to `own`, with its `#`, or null where it leads elsewhere (RFC 3986 §5, base URL `base`). */
function fragmentTo(own: string, reference: string, base: string): string | null {
  const hash = reference.indexOf('#');
  const [bare, fragment] = hash < 0 ? [reference, '#'] : [reference.slice(0, hash), reference.slice(hash)];
  return URL.canParse(bare, base) && new URL(bare, base).href === own ? fragment : null;
}

/**
 * The document with references to its own URL, absolute or relative, turned into internal ones (`openapi.json#/a` → `#/a`). Does not modify
 * the input; returns it unchanged where it has no such references.
 */
export function withoutOwnAddress(document: Record<string, unknown>, url: string): Record<string, unknown> {
  if (!URL.canParse(url)) return document;
  const own = new URL(url).href;
  const edits: { readonly path: string; readonly name: string; readonly value: string }[] = [];
  visitObjects(document, (node, pointer, scope) => {
    const id = asObject(at(document, scope))?.['$id'];
    const base = typeof id === 'string' && URL.canParse(id, own) ? new URL(id, own).href : own;
    const edit = (holder: Record<string, unknown>, path: string, name: string): void => {
      const value = holder[name];
      if (typeof value !== 'string' || value.startsWith('#')) return;
      const fragment = fragmentTo(own, value, base);
      if (fragment !== null) edits.push({ path, name, value: fragment });
    };
    for (const name of ['$ref', '$dynamicRef']) edit(node, pointer, name);
    const mapping = asObject(asObject(node['discriminator'])?.['mapping']) ?? {};
    for (const name of Object.keys(mapping))
      // Without a fragment it is the name of a schema.
      if (String(mapping[name]).includes('#')) edit(mapping, `${pointer}/discriminator/mapping`, name);
  });
  if (edits.length === 0) return document;
  const copy = structuredClone(document);
  for (const { path, name, value } of edits) Object.assign(asObject(at(copy, path)) ?? {}, { [name]: value });
  return copy;
}
