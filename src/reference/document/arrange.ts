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

/** The document with its paths of production changed, and what else changes with them. */
function moved(
  document: Document,
  more: Partial<Document>,
  move: (path: string, item: Json, isOwn: boolean) => [string, Json],
): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => move(path, item, path.startsWith('/api/v1/')));
  return { ...document, ...more, paths: Object.fromEntries(paths) as Document['paths'] };
}

/** The document with its paths below a server, where the option says so. */
function belowServer(document: Document, url: string, servers: Json[] = [{ url }]): Document {
  const root = [{ url: url.replace(/\/api\/v1$/, '') || '/' }];
  return moved(document, { servers }, (path, item, isOwn) =>
    isOwn ? [path.slice('/api/v1'.length), item] : [path, { servers: root, ...item }],
  );
}

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

function placedPaths(document: Document, place: string, baseUrl: string): Document {
  switch (place) {
    case 'server':
      return belowServer(document, '/api/v1');
    case 'absolute':
      return belowServer(document, `${baseUrl}/api/v1`);
    case 'variable':
      return belowServer(document, '/api/v1', [{ url: '/api/v{major}', variables }]);
    case 'parameter':
      return moved(document, {}, (path, item, isOwn) =>
        isOwn ? [path.replace('/v1/', '/v{version}/'), { parameters: versions, ...item }] : [path, item],
      );
    default:
      return document;
  }
}

/** The document in the manner of this instance: in place or by reference, full paths or below a server. */
export function arrange(document: Document, behaviour: Behaviour, baseUrl: string): Document {
  const placed = placedPaths(document, behaviour.option('document-paths'), baseUrl);
  const manner = behaviour.option('document-refs');
  if (manner === 'refs') return placed;
  if (manner === 'files') return inFiles(placed, '.json');
  if (manner === 'yaml-files') return inFiles(placed, '.yaml');
  const whole = inlined(placed, document) as Document;
  return { ...whole, components: { securitySchemes: document.components['securitySchemes'] ?? {} } };
}
