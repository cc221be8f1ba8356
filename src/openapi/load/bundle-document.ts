import { nodeKind, type NodeKind } from '../visit-objects.js';
import { references } from './references.js';
import { asList, asObject } from '../values.js';

/** Reads a file, JSON or YAML, by its URL without a fragment; undefined where it cannot be read. */
export type ReadFile = (url: string) => Promise<unknown>;

/** Most files, references, characters of all files, and objects of a bundle. */
const most = { files: 50, references: 20_000, characters: 32_000_000, nodes: 2_000_000 };

/** Keywords that a schema has a right to beside `$ref`; swagger-parser would put them in place of what is referred to. */
const besides = new Set(
  (
    'type enum const required properties patternProperties additionalProperties unevaluatedProperties items prefixItems ' +
    'allOf anyOf oneOf not if format pattern minLength maxLength minimum maximum'
  ).split(' '),
);

/** Before a name that swagger-parser would read otherwise: a `$ref` in example data, and servers, which it would make absolute. */
const veil = '\u0000';

/** A copy that swagger-parser does not misread; a schema that moves out of its file is called by its new place alone. */
function veiled(node: unknown, place: NodeKind, moves = false): unknown {
  if (Array.isArray(node)) return node.map((one) => veiled(one, place, moves));
  const object = asObject(node);
  if (object === null) return node;
  const copy = Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => !(moves && place === 'object' && name === '$id' && typeof value === 'string'))
      .map(([name, value]) => [
        name === 'servers' || (place === 'data' && name === '$ref') ? veil + name : name,
        veiled(value, nodeKind(place, name, value), moves),
      ]),
  );
  const { $ref, ...rest } = copy;
  const isApart = place === 'object' && typeof $ref === 'string' && Object.keys(rest).some((name) => besides.has(name));
  return isApart ? { ...rest, allOf: [...asList(rest['allOf']), { $ref }] } : copy;
}

/** The opposite of {@link veiled}; throws RangeError where the bundle is too large. */
function unveiled(node: unknown, budget = { left: most.nodes }): unknown {
  budget.left -= 1;
  if (budget.left < 0) throw new RangeError('too many objects');
  if (Array.isArray(node)) return node.map((one) => unveiled(one, budget));
  const object = asObject(node);
  if (object === null) return node;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name.replace(veil, ''), unveiled(value, budget)]),
  );
}

/**
 * The document at a URL as swagger-parser bundles it: with the referenced parts of other files of the same origin in it, and references to
 * its own URL as internal ones. References that cannot be read, lead to another origin or exceed the bounds stay as they are. Does not
 * change the document; returns it where nothing in it leads out, or where swagger-parser cannot read it.
 */
export async function bundleDocument(
  document: Record<string, unknown>,
  url: string,
  read: ReadFile,
): Promise<Record<string, unknown>> {
  const found = references(document);
  const isPlain = !found.some(({ state }) => state === 'external') || found.length > most.references;
  if (isPlain || !/^https?:/.test(url)) return document;
  const left = { files: most.files, characters: most.characters, references: most.references - found.length };
  const readGuarded = async (file: { readonly url: string }): Promise<unknown> => {
    const isOwn = URL.canParse(file.url) && new URL(file.url).origin === new URL(url).origin;
    if (!isOwn || left.files === 0) throw new Error('not read');
    left.files -= 1;
    const value = await read(file.url);
    if (typeof value !== 'object' || value === null) throw new Error('no JSON file');
    left.characters -= JSON.stringify(value).length;
    left.references -= references({ file: value }).length;
    if (left.characters < 0 || left.references < 0) throw new Error('too large');
    return veiled(value, 'object', true);
  };
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser');
  const parser = new SwaggerParser();
  try {
    await parser.bundle(new URL(url).href, { ...(veiled(document, 'object') as object), openapi: '3.1.0' } as never, {
      continueOnError: true,
      parse: { yaml: false, text: false, binary: false },
      resolve: { file: false, http: false, guarded: { order: 1, canRead: true, read: readGuarded } },
    });
  } catch {
    // What could not be resolved is still a reference, which is judged as one.
  }
  try {
    const bundle = unveiled(parser.api) as Record<string, unknown>;
    return { ...bundle, openapi: document['openapi'] };
  } catch {
    return document;
  }
}
