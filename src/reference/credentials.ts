import type { FastifyRequest } from 'fastify';
import type { ApiKey } from './api-keys.js';
import type { World } from './world.js';

/** What was found where credentials stand. */
export interface Credentials {
  readonly presented: string | null;
  readonly key: ApiKey | null;
}

function presentedKey(request: FastifyRequest, world: World): string | null {
  const { has, dial } = world.behaviour;
  const value = request.headers.authorization;
  if (has('key-in-query-accepted')) {
    const query = request.query as Record<string, unknown>;
    const found = [query['api_key'], query['apiKey'], query['access_token'], query['key'], query['token']].find(
      (one) => typeof one === 'string',
    );
    if (value === undefined && typeof found === 'string') return found;
  }
  if (value === undefined) return null;
  const form = dial('credentials-form');
  const match = (
    has('key-word-ignored') || form === 'first-word' ? /^(\S+)[ \t]+(\S+)/ : /^(\S+)[ \t]+(\S+)[ \t]*$/
  ).exec(value);
  if (match === null) {
    if (/^bearer[ \t]*$/i.test(value)) return '';
    return form === 'bare-key' ? value.trim() : null;
  }
  const [, scheme = '', key = ''] = match;
  const exact = form === 'exact' || has('scheme-case-matters');
  if (exact ? scheme === 'Bearer' : /^bearer$/i.test(scheme)) return key;
  if (has('key-under-basic-accepted') && /^basic$/i.test(scheme)) return basicKey(key);
  return form === 'any-scheme' ? key : null;
}

/** The key as Basic credentials carry it: by itself, or encoded as user or password. */
function basicKey(value: string): string {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return decoded.split(':').find((part) => part.startsWith('dk_')) ?? value;
}

/** The text with its percent-encoded characters read. */
function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The bytes that a key encodes; null where it is none in base64url. */
function bytesOf(key: string): Buffer | null {
  return /^dk_[\w-]{43}$/.test(key) ? Buffer.from(key.slice(3), 'base64url') : null;
}

function matches(key: string, presented: string, world: World): boolean {
  const { has, dial } = world.behaviour;
  if (presented === key) return true;
  if (dial('credentials-form') === 'decoded') {
    const [given, bytes] = [bytesOf(presented), bytesOf(key)];
    return given !== null && bytes !== null && given.equals(bytes);
  }
  if (
    (dial('credentials-form') === 'any-key-case' || has('key-case-ignored')) &&
    presented.toLowerCase() === key.toLowerCase()
  )
    return true;
  if (has('key-suffix-accepted') && presented.startsWith(key)) return true;
  if (has('key-dot-accepted') && presented === `${key}.`) return true;
  if (has('key-list-read') && presented.split(/[,;]/)[0] === key) return true;
  if ((has('key-percent-decoded') || dial('credentials-form') === 'percent-decoded') && decoded(presented) === key)
    return true;
  if (has('key-marks-ignored') && presented.replace(/[^a-z0-9]/gi, '') === key.replace(/[^a-z0-9]/gi, '')) return true;
  if (has('key-prefix-accepted') && presented === key.slice(0, -1)) return true;
  if (has('key-last-character-free') && presented.length === key.length && presented.slice(0, -1) === key.slice(0, -1))
    return true;
  if (!has('key-middle-free') || presented.length !== key.length) return false;
  const third = Math.floor(key.length / 3);
  return presented.slice(0, third) === key.slice(0, third) && presented.slice(-third) === key.slice(-third);
}

/** Reads the credentials of a request and finds whose they are. */
export function readCredentials(request: FastifyRequest, world: World): Credentials {
  const { has } = world.behaviour;
  const presented = presentedKey(request, world);
  const admin = world.keys[0] ?? null;
  const value = request.headers.authorization ?? '';
  const paged = (request.query as Record<string, unknown>)[world.behaviour.dial('cursor-parameter')] !== undefined;
  if (has('cursor-needs-no-key') && paged && !world.keys.some((one) => matches(one.value, presented ?? '', world)))
    return { presented, key: admin };
  if (
    (has('latin-key-accepted') && /[\x80-\xff]/.test(value)) ||
    (has('any-basic-user-accepted') && /^basic /i.test(value)) ||
    (has('any-bare-value-accepted') && /^(?!bearer$)\S+$/i.test(value))
  )
    return { presented: value, key: admin };
  if (presented === null) {
    const operation = request.routeOptions.config.operation;
    const open =
      has('no-key-accepted') ||
      (has('head-needs-no-key') && request.method === 'HEAD') ||
      (has('no-key-accepted-for-deals') && operation === 'listDeals') ||
      (has('no-key-accepted-for-unit') && operation === 'getUnit') ||
      (has('no-key-accepted-for-create') && operation === 'createLead');
    return { presented, key: open ? admin : null };
  }
  if (presented === '') return { presented: null, key: has('empty-key-accepted') ? admin : null };
  const key = world.keys.find((one) => matches(one.value, presented, world)) ?? null;
  return { presented, key: key ?? (has('unknown-key-accepted') ? admin : null) };
}
