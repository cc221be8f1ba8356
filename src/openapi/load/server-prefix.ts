import { asList, asObject, objectsIn } from '../values.js';

/** The path that a Server Object puts before every path template; variables take their defaults. */
function prefixOf(server: Record<string, unknown>): string {
  let url = typeof server['url'] === 'string' ? server['url'] : '/';
  for (const [name, variable] of objectsIn(server['variables']))
    url = url.replaceAll(`{${name}}`, String(variable['default'] ?? ''));
  const path = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/^\/\/[^/?#]*/, '')
    .replace(/^\{[^}/]*\}/, '')
    .replace(/[?#].*/s, '');
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}

/** The path prefixes of an operation: from its own servers, else its path's, else the document's, else none. */
export function prefixes(...levels: readonly unknown[]): readonly string[] {
  for (const servers of levels) {
    const found = asList(servers)
      .map(asObject)
      .filter((one) => one !== null)
      .map(prefixOf);
    if (found.length > 0) return [...new Set(found)];
  }
  return [''];
}
