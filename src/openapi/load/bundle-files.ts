import { at, child, localPointer } from '../schema/pointer.js';
import { references } from './references.js';
import { schemaObjects } from '../schema/schema-objects.js';
import { asObject } from '../values.js';

/** Reads a file as JSON by its URL, without a fragment; undefined where it cannot be read. */
export type ReadFile = (url: string) => Promise<unknown>;

/** Most files, files that refer to one another in a row, and characters of what is copied in. */
const mostFiles = 50;
const mostPasses = 20;
const mostCharacters = 32_000_000;

function anchored(node: unknown, name: string): unknown {
  if (typeof node !== 'object' || node === null) return undefined;
  if (asObject(node)?.['$anchor'] === name) return node;
  for (const inner of Object.values(node)) {
    const found = anchored(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value that a fragment (with its `#`) names in a file. */
function targetIn(file: unknown, fragment: string): unknown {
  const pointer = localPointer(fragment);
  return pointer === null ? anchored(file, fragment.slice(1)) : at(file, pointer);
}

/** A copy in which every reference is absolute, or a fragment where it leads back into the document at `own`. */
function rebased(node: unknown, file: string, own: string): unknown {
  if (Array.isArray(node)) return node.map((one) => rebased(one, file, own));
  const object = asObject(node);
  if (object === null) return node;
  const moved = (name: string, value: unknown): unknown => {
    if (!['$ref', '$dynamicRef'].includes(name) || typeof value !== 'string') return rebased(value, file, own);
    if (!URL.canParse(value, file)) return value;
    const url = new URL(value, file).href;
    const hash = url.indexOf('#');
    return (hash < 0 ? url : url.slice(0, hash)) === own ? (hash < 0 ? '#' : url.slice(hash)) : url;
  };
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, moved(name, value)]));
}

/**
 * The document at a URL, with referenced parts of other files of the same origin copied in: schemas to the components, everything else in
 * place. References that are unreadable, lead to another origin or exceed the bounds stay unchanged. Does not modify the document itself.
 */
export async function bundleFiles(
  document: Record<string, unknown>,
  url: string,
  read: ReadFile,
): Promise<Record<string, unknown>> {
  if (!URL.canParse(url)) return document;
  const own = new URL(url);
  const files = new Map<string, unknown>();
  const names = new Map<string, string>();
  const failed = new Set<string>();
  let bundle = document;
  let characters = 0;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const open = references(bundle).filter(
      ({ ref, state }) =>
        state === 'external' &&
        !failed.has(ref) &&
        URL.canParse(ref, own.href) &&
        new URL(ref, own).origin === own.origin &&
        /^https?:$/.test(own.protocol),
    );
    if (open.length === 0) break;
    if (bundle === document) bundle = structuredClone(document);
    const schemaPlaces = schemaObjects(bundle).map(({ pointer }) => pointer);
    for (const next of open) {
      const target = new URL(next.ref, own);
      const fragment = target.hash || '#';
      target.hash = '';
      if (!files.has(target.href) && files.size < mostFiles) files.set(target.href, await read(target.href));
      const found = targetIn(files.get(target.href), fragment);
      characters += found === undefined ? 0 : JSON.stringify(found).length;
      if (found === undefined || characters > mostCharacters) {
        failed.add(next.ref);
        continue;
      }
      const holderAt = next.pointer.replace(/\/[^/]*$/, '');
      const holder = asObject(at(bundle, holderAt)) ?? {};
      const copy = rebased(found, target.href, own.href);
      const isSchema = schemaPlaces.some((place) => holderAt === place || holderAt.startsWith(`${place}/`));
      if (!isSchema) {
        const { $ref: _, ...beside } = holder;
        for (const name of Object.keys(holder)) Reflect.deleteProperty(holder, name);
        Object.assign(holder, asObject(copy) ?? {}, beside);
        continue;
      }
      const components = asObject((bundle['components'] ??= {})) ?? {};
      const schemas = asObject((components['schemas'] ??= {})) ?? {};
      const key = `${target.href}${fragment}`;
      let name = names.get(key);
      if (name === undefined) {
        const last = (fragment.length > 1 ? fragment : target.pathname).split('/').at(-1) ?? '';
        const stem = last.replace(/\.\w+$/, '').replace(/[^\w-]+/g, '_') || 'File';
        name = stem;
        for (let number = 2; Object.hasOwn(schemas, name); number += 1) name = `${stem}${number}`;
        names.set(key, name);
        // Its identity is its place from here on.
        if (asObject(copy) !== null) Reflect.deleteProperty(copy as object, '$id');
        schemas[name] = copy;
      }
      holder[next.pointer.slice(holderAt.length + 1)] = `#${child('/components/schemas', name)}`;
    }
  }
  return bundle;
}
