import { createHash, randomUUID } from 'node:crypto';
import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import { SettingsError } from '../../settings/index.js';
import type { RequestShape } from '../engine/connections.js';

/** One operation of a mix; paths are below `{base_url}`. */
export interface MixOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** How many of all requests, in proportion to the other weights. */
  readonly weight: number;
  /** Whether the answer must carry the envelope. */
  readonly envelope: boolean;
  /** JSON body; `{{uuid}}` in its text is fresh in every request. */
  readonly body?: string;
}

/** The default mix: the live reading operations. */
export const usualMix: readonly MixOperation[] = [
  { name: 'list units', method: 'GET', path: '/api/v1/units?limit=50', weight: 6, envelope: true },
  {
    name: 'list available units',
    method: 'GET',
    path: '/api/v1/units?status=available&limit=50',
    weight: 3,
    envelope: true,
  },
  { name: 'list deals', method: 'GET', path: '/api/v1/deals', weight: 1, envelope: true },
];

/** Beyond it the proportions of small weights would be lost to rounding. */
const mostWeight = 1_000_000;

/** A shorter value may be an ordinary word of a path. */
const leastSecret = 8;

function decoded(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
}

const fields = new Set(['name', 'method', 'path', 'weight', 'envelope', 'body']);

/** A mix is shown in reports and exports: throws SettingsError where one of its operations holds a secret of the settings. */
export function assertTellsNoSecret(
  mix: readonly MixOperation[],
  secrets: readonly (readonly [name: string, value: string])[],
): void {
  for (const [at, { name, path, body }] of mix.entries()) {
    const texts = [name, path, decoded(path), body ?? ''];
    const held = secrets.find(([, value]) => value.length >= leastSecret && texts.some((text) => text.includes(value)));
    if (held !== undefined)
      throw new SettingsError(
        `--mix holds the value of ${held[0]} in operation ${at + 1}, and mixes are shown in reports: leave it out, as every request carries the plan's key already.`,
      );
  }
}

/** Parses a settings file's text: `{"operations": [{"name", "method", "path", "weight", "envelope"?, "body"?}]}`; throws SettingsError. */
export function parseMix(text: string, file: string): readonly MixOperation[] {
  const wrong = (what: string): SettingsError =>
    new SettingsError(
      `${file} ${what}: expected {"operations": [{"name": "list units", "method": "GET", "path": "/api/v1/units?limit=50", "weight": 6}]}.`,
    );
  const parsed = decodeJson(text.replace(/^\uFEFF/, ''));
  if (parsed === undefined) throw wrong('is not JSON');
  const list = asObject(parsed)?.['operations'];
  if (!Array.isArray(list) || list.length === 0) throw wrong('lists no operations');
  const mix = (list as unknown[]).map((entry, at) => {
    const { name, method, path, weight, envelope, body } = asObject(entry) ?? {};
    const other = Object.keys(entry ?? {}).some((field) => !fields.has(field));
    if (other) throw wrong(`has a field in operation ${at + 1} other than ${[...fields].join(', ')}`);
    for (const [field, value, type] of [
      ['name', name, 'string'],
      ['method', method, 'string'],
      ['envelope', envelope, 'boolean'],
    ] as const)
      if (value !== undefined && typeof value !== type)
        throw wrong(`has a ${field} in operation ${at + 1} that is no ${type === 'string' ? 'text' : 'true or false'}`);
    if (typeof path !== 'string' || !path.startsWith('/')) throw wrong(`has no path in operation ${at + 1}`);
    if (!/^[\x21\x22\x24-\x7e]+$/.test(path))
      throw wrong(`has a path in operation ${at + 1} with a #, space, line break or letter that URLs escape (%20)`);
    if (typeof weight !== 'number' || !(weight > 0 && weight <= mostWeight))
      throw wrong(`has no weight above 0, and up to ${mostWeight}, in operation ${at + 1}`);
    const verb = typeof method === 'string' ? method.toUpperCase() : 'GET';
    if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(verb))
      throw wrong(`has a method in operation ${at + 1} other than GET, POST, PUT, PATCH and DELETE`);
    return {
      name: typeof name === 'string' ? name : `${verb} ${path}`,
      method: verb,
      path,
      weight,
      envelope: typeof envelope === 'boolean' ? envelope : path.startsWith('/api/v1/'),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  });
  const names = mix.map((one) => one.name);
  if (names.includes('all')) throw wrong('names an operation "all", which all of them are called together');
  // The message does not contain their names: the mix may contain secrets.
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0)
    throw wrong(
      `names operations ${names.indexOf(names[twice] ?? '') + 1} and ${twice + 1} alike, so that nobody could tell their figures apart`,
    );
  return mix;
}

/** Deals operations out in exact proportion to their weights, as evenly as possible. */
export function dealer(mix: readonly MixOperation[]): () => MixOperation {
  const total = mix.reduce((sum, one) => sum + one.weight, 0);
  const credit = mix.map(() => 0);
  return () => {
    let best = 0;
    for (let at = 0; at < mix.length; at += 1) {
      credit[at] = (credit[at] ?? 0) + (mix[at]?.weight ?? 0);
      if ((credit[at] ?? 0) > (credit[best] ?? 0)) best = at;
    }
    credit[best] = (credit[best] ?? 0) - total;
    const chosen = mix[best];
    if (chosen === undefined) throw new RangeError('a mix needs an operation');
    return chosen;
  };
}

/** The request of one operation; a create gets a key and text of its own. A shape without a body is made once and used again. */
export function shaper(basePath: string): (operation: MixOperation) => RequestShape {
  const fixed = new Map<MixOperation, RequestShape>();
  return (operation) => {
    const known = fixed.get(operation);
    if (known !== undefined) return known;
    const shape = { method: operation.method, path: `${basePath}${operation.path}`, headers: {} };
    if (operation.body === undefined && operation.method === 'GET') {
      fixed.set(operation, shape);
      return shape;
    }
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    return {
      ...shape,
      headers,
      ...(operation.body === undefined ? {} : { body: operation.body.replaceAll('{{uuid}}', randomUUID()) }),
    };
  };
}

/** What soaks must have in common to be comparable: the load's name, and a digest of what it asks. */
export function conditionsOf(name: string, mix: readonly MixOperation[]): string {
  return `${name}, operations ${createHash('sha256').update(JSON.stringify(mix)).digest('hex').slice(0, 12)}`;
}
