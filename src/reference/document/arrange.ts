import type { Behaviour, Document } from '../instance.js';
import type { Schema as Json } from './schema.js';

/** A value with each object in it that `change` gives something for replaced by that. */
function replaced(value: unknown, change: (object: Json) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => replaced(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const instead = change(value as Json);
  if (instead !== undefined) return instead;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, change)]));
}

/** Every reference replaced by what it refers to; there are no cycles. */
function inlined(value: unknown, document: Document): unknown {
  return replaced(value, ({ $ref }) => {
    const [, , kind = '', name = ''] = typeof $ref === 'string' ? $ref.split('/') : [];
    const target = document.components[kind]?.[name];
    return target && inlined(target, document);
  });
}

/** References to schemas as references to files, relative to the file that holds them. */
function toFiles(value: unknown, folder: string, extension: string): unknown {
  return replaced(value, ({ $ref, ...rest }) =>
    typeof $ref === 'string'
      ? { $ref: $ref.replace(/^#\/components\/schemas\/(\w+)$/, `${folder}$1${extension}`), ...rest }
      : undefined,
  );
}

/** The document with its paths of production moved, and the servers that this makes it name. */
function moved(
  document: Document,
  servers: Json[] | null,
  move: (path: string, item: Json) => [string, Json],
): Document {
  const [url = ''] = (servers ?? []).map((server) => String(server['url']));
  const root = servers && { servers: [{ url: url.replace(/\/api\/v[^/]+$/, '') || '/' }] };
  const paths = Object.entries(document.paths).map(([path, item]) =>
    path.startsWith('/api/v1/') ? move(path, item) : [path, { ...root, ...item }],
  );
  return { ...document, ...(servers && { servers }), paths: Object.fromEntries(paths) as Document['paths'] };
}

/** The document with its paths below a server. */
const belowServer = (document: Document, server: Json): Document =>
  moved(document, [server], (path, item) => [path.slice('/api/v1'.length), item]);

/** The document with its schemas in files beside it. */
function inFiles(document: Document, extension: string): Document {
  const { schemas: _, ...components } = document.components;
  return toFiles({ ...document, components }, 'schemas/', extension) as Document;
}

/** The file of one schema, or null where there is none. */
export function schemaFile(document: Document, name: string, extension: string): unknown {
  const schema = document.components['schemas']?.[name];
  return schema === undefined ? null : toFiles(schema, '', extension);
}

const versions = [{ name: 'version', in: 'path', required: true, schema: { type: 'string', enum: ['1'] } }];
const variables = { major: { default: '1', enum: ['1'] } };

const placings: Readonly<Record<string, (document: Document, baseUrl: string) => Document>> = {
  server: (document) => belowServer(document, { url: '/api/v1' }),
  absolute: (document, baseUrl) => belowServer(document, { url: `${baseUrl}/api/v1` }),
  variable: (document) => belowServer(document, { url: '/api/v{major}', variables }),
  parameter: (document) =>
    moved(document, null, (path, item) => [path.replace('/v1/', '/v{version}/'), { parameters: versions, ...item }]),
};

/** The document in the manner of this instance: in place or by reference, full paths or below a server. */
export function arrange(document: Document, behaviour: Behaviour, baseUrl: string): Document {
  const placed = placings[behaviour.option('document-paths')]?.(document, baseUrl) ?? document;
  const manner = behaviour.option('document-refs');
  if (manner === 'refs') return placed;
  if (manner === 'files') return inFiles(placed, '.json');
  if (manner === 'yaml-files') return inFiles(placed, '.yaml');
  const whole = inlined(placed, document) as Document;
  return { ...whole, components: { securitySchemes: document.components['securitySchemes'] ?? {} } };
}
