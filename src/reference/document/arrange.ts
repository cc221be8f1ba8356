import type { Behaviour } from '../behaviour.js';
import type { Document } from './document.js';

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

/** The document with its paths below a server, where the dial says so. */
function belowServer(document: Document, url: string): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    if (path.startsWith('/api/v1/')) return [path.slice('/api/v1'.length), item] as const;
    return [path, { servers: [{ url: url.replace(/\/api\/v1$/, '') || '/' }], ...item }] as const;
  });
  return { ...document, servers: [{ url }], paths: Object.fromEntries(paths) as Document['paths'] };
}

/** The document in the manner of this instance: in place or by reference, full paths or below a server. */
export function arrange(document: Document, behaviour: Behaviour, baseUrl: string): Document {
  const place = behaviour.dial('document-paths');
  const placed =
    place === 'full' ? document : belowServer(document, place === 'server' ? '/api/v1' : `${baseUrl}/api/v1`);
  if (behaviour.dial('document-refs') === 'refs') return placed;
  const whole = inlined(placed, document) as Document;
  return { ...whole, components: { securitySchemes: document.components['securitySchemes'] ?? {} } };
}
