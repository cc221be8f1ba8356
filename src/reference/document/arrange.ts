import type { Behaviour, Document } from '../instance.js';

type Json = Record<string, unknown>;

/** A document with every reference replaced by what it refers to; there are no cycles. */
function inlined(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, document));
  if (typeof value !== 'object' || value === null) return value;
  const reference = (value as Json)['$ref'];
  if (typeof reference === 'string') {
    const [, , kind = '', name = ''] = reference.split('/');
    return inlined(document.components[kind]?.[name] ?? value, document);
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inlined(one, document)]));
}

/** The document with its paths below a server, where the option says so. */
function belowServer(document: Document, url: string): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    if (path.startsWith('/api/v1/')) return [path.slice('/api/v1'.length), item] as const;
    return [path, { servers: [{ url: url.replace(/\/api\/v1$/, '') || '/' }], ...item }] as const;
  });
  return { ...document, servers: [{ url }], paths: Object.fromEntries(paths) as Document['paths'] };
}

/** The document with the version as a path parameter of one value. */
function withVersionParameter(document: Document): Document {
  const version = { name: 'version', in: 'path', required: true, schema: { type: 'string', enum: ['1'] } };
  const paths = Object.entries(document.paths).map(([path, item]) =>
    path.startsWith('/api/v1/')
      ? ([path.replace('/v1/', '/v{version}/'), { parameters: [version], ...item }] as const)
      : ([path, item] as const),
  );
  return { ...document, paths: Object.fromEntries(paths) as Document['paths'] };
}

/** The document below a server whose version is a variable. */
function belowVariable(document: Document): Document {
  const below = belowServer(document, '/api/v1');
  const servers = [{ url: '/api/v{major}', variables: { major: { default: '1', enum: ['1'] } } }];
  return { ...below, servers };
}

/** References to schemas as references to files, relative to the file that holds them. */
function toFiles(value: unknown, folder: string, extension: string): unknown {
  if (Array.isArray(value)) return value.map((one) => toFiles(one, folder, extension));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) =>
      name === '$ref' && typeof one === 'string'
        ? [name, one.replace(/^#\/components\/schemas\/(\w+)$/, `${folder}$1${extension}`)]
        : [name, toFiles(one, folder, extension)],
    ),
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

function placedPaths(document: Document, place: string, baseUrl: string): Document {
  switch (place) {
    case 'server':
      return belowServer(document, '/api/v1');
    case 'absolute':
      return belowServer(document, `${baseUrl}/api/v1`);
    case 'variable':
      return belowVariable(document);
    case 'parameter':
      return withVersionParameter(document);
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
