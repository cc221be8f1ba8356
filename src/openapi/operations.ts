import { canonicalPath, roleOf, type Role } from './canonical-path.js';
import { child } from './schema/pointer.js';
import { follow, member, type Located } from './schema/resolve.js';
import { asList, asObject, objectsIn } from './values.js';

/** One parameter of an operation, references followed. */
export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly node: Record<string, unknown>;
  readonly pointer: string;
}

/** One declared operation. */
export interface Operation {
  /** In upper case. */
  readonly method: string;
  /** The key under `paths`. */
  readonly template: string;
  /** The template as it stands below `{base_url}`. */
  readonly fullTemplate: string;
  readonly role: Role;
  readonly parameters: readonly Parameter[];
  /** Schema of the JSON request body, references not followed, and where it stands; null where none is declared. */
  readonly requestSchema: unknown;
  readonly requestPointer: string | null;
  readonly operation: Record<string, unknown>;
  readonly pointer: string;
  readonly pathItem: Record<string, unknown>;
}

/** The methods that a Path Item Object may hold. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** The media type entry for JSON in a content map, with its pointer. */
export function jsonContent(document: unknown, holder: Located): Located | null {
  const entries = objectsIn(holder.node['content']);
  const entry =
    entries.find(([type]) => /^application\/json\s*(;|$)/i.test(type)) ??
    entries.find(([type]) => /^application\/(?!problem\b)([\w.-]+\+)?json\b/i.test(type)) ??
    entries.find(([type]) => /^application\/problem\+json\b/i.test(type)) ??
    entries.find(([type]) => type === 'application/*' || type === '*/*');
  return entry ? follow(document, entry[1], child(child(holder.pointer, 'content'), entry[0])) : null;
}

function parametersOf(document: unknown, levels: readonly Located[]): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const level of levels) {
    for (const [index, raw] of asList(level.node['parameters']).entries()) {
      const one = follow(document, raw, child(child(level.pointer, 'parameters'), index));
      const [place, name] = [one?.node['in'], one?.node['name']];
      if (one === null || typeof place !== 'string' || typeof name !== 'string') continue;
      found.set(`${place} ${name}`, {
        in: place,
        name,
        required: one.node['required'] === true,
        node: one.node,
        pointer: one.pointer,
      });
    }
  }
  return [...found.values()];
}

/** Most paths that a template with parameters of listed values is expanded to. */
const mostExpanded = 20;

/**
 * The paths of a template for the listed values of its path parameters (`const`, `enum`). First the path with only the constants filled in,
 * where parameters with several values stay.
 */
function expandedPaths(document: unknown, template: string, parameters: readonly Parameter[]): readonly string[] {
  let paths = [template];
  for (const parameter of parameters.filter((one) => one.in === 'path')) {
    const schema = member(document, parameter, 'schema')?.node;
    const listed = schema?.['const'] === undefined ? asList(schema?.['enum']) : [schema['const']];
    if (listed.length === 0 || !listed.every((one) => typeof one === 'string' || typeof one === 'number')) continue;
    const put = (path: string): string[] =>
      listed.map((value) => path.replaceAll(`{${parameter.name}}`, String(value)));
    paths = (listed.length === 1 ? paths.flatMap(put) : [...paths, ...paths.flatMap(put)]).slice(0, mostExpanded);
  }
  return paths;
}

function requestOf(document: unknown, operation: Located): { requestSchema: unknown; requestPointer: string | null } {
  const body = member(document, operation, 'requestBody');
  const media = body === null ? null : jsonContent(document, body);
  if (media === null || media.node['schema'] === undefined) return { requestSchema: null, requestPointer: null };
  return { requestSchema: media.node['schema'], requestPointer: child(media.pointer, 'schema') };
}

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
function prefixes(...levels: readonly unknown[]): readonly string[] {
  for (const servers of levels) {
    const found = asList(servers)
      .map(asObject)
      .filter((one) => one !== null)
      .map(prefixOf);
    if (found.length > 0) return [...new Set(found)];
  }
  return [''];
}

/** Every operation that a document declares; entries that are no objects are left to validation. */
export function operationsOf(document: Record<string, unknown> | null): Operation[] {
  if (document === null) return [];
  const list: Operation[] = [];
  for (const [template, raw] of objectsIn(document['paths'])) {
    const item = template.startsWith('x-') ? null : follow(document, raw, child('/paths', template));
    if (item === null) continue;
    for (const method of methods) {
      const operation = member(document, item, method);
      if (operation === null) continue;
      const parameters = parametersOf(document, [item, operation]);
      const paths = expandedPaths(document, template, parameters);
      const fulls = prefixes(operation.node['servers'], item.node['servers'], document['servers']).flatMap((prefix) =>
        paths.map((path) => canonicalPath(prefix + path)),
      );
      const fullTemplate = fulls.find((full) => roleOf(full) !== 'other') ?? fulls[0] ?? template;
      list.push({
        method: method.toUpperCase(),
        template,
        fullTemplate,
        role: roleOf(fullTemplate),
        parameters,
        ...requestOf(document, operation),
        operation: operation.node,
        pointer: operation.pointer,
        pathItem: item.node,
      });
    }
  }
  return list;
}

/** Whether every way that is declared to call an operation needs credentials. */
export function needsCredentials(document: Record<string, unknown>, { operation }: Operation): boolean {
  const ways = asList(operation['security'] ?? document['security']).map((way) => Object.keys(asObject(way) ?? {}));
  return ways.length > 0 && ways.every((names) => names.length > 0);
}

/** The operation that a request to a path would reach: a literal template before one with parameters. */
export function findOperation(operations: readonly Operation[], method: string, path: string): Operation | null {
  const canonical = canonicalPath(path.split('?')[0] ?? path).split('/');
  const fits = (template: string): boolean => {
    const parts = template.split('/');
    return (
      parts.length === canonical.length &&
      parts.every((part, index) => (/\{[^{}]+\}/.test(part) ? canonical[index] !== '' : part === canonical[index]))
    );
  };
  const found = operations.filter((one) => one.method === method.toUpperCase() && fits(one.fullTemplate));
  return found.sort((a, b) => a.fullTemplate.split('{').length - b.fullTemplate.split('{').length)[0] ?? null;
}
