import type { Credential } from '../../http/index.js';
import { type Check, randomFrom, type RequestOptions, seedFor } from '../../run/index.js';
import { keyNames } from '../../settings/index.js';
import { adminKeys, type Caller, otherAdminKeys, scopedKeys } from './scopes.js';

/** Names under which careless services look for a key in the query. */
export const queryNames = ['api_key', 'apiKey', 'access_token', 'key', 'token'];

const bearers = (keys: readonly (readonly [name: string, key: string])[]): Credential[] =>
  keys.map(([name, key]) => ({ name, authorization: `Bearer ${key}` }));

/** The statuses with which an HTTP server may refuse a key before the application sees it, by the name of the credential. */
const statusesOfServers = {
  'an unknown key with Latin-1 bytes': [400],
  'an unknown key of 8,000 characters': [400, 413, 431, 494],
} as const;

/** The statuses with which an HTTP server before the application may refuse a credential of this name. */
export const credentialStatuses = (name: string | null): readonly number[] =>
  Object.entries(statusesOfServers).find(([one]) => one === name)?.[1] ?? [];

/**
 * Unknown keys that look like those of another service, or break a parser: tokens, encodings, empty parts, much text, and bytes from
 * 0x80 to 0xFF, which a field value may hold (RFC 9110 §5.5, obs-text). The client can send no NUL; `%00` and an encoded one come closest.
 */
export function foreignCredentials(unknown: string, seed: number): Credential[] {
  const random = randomFrom(seedFor(seed, 'foreign credentials'));
  const below = (count: number): number => Math.floor(random() * count);
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256)));
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = encoded({
    sub: unknown.slice(0, 8),
    iat: 1_700_000_000 + below(1e7),
    exp: 2_000_000_000,
    scope: 'admin:*',
  });
  const header = (alg: string): string => encoded({ alg, typ: 'JWT', kid: bytes(6).toString('hex') });
  const latin = Array.from({ length: 12 }, () => String.fromCharCode(0x80 + below(0x80))).join('');
  const keys: Readonly<Record<string, string>> = {
    'a JSON Web Token with an unknown signature': `${header('HS256')}.${claims}.${bytes(32).toString('base64url')}`,
    'a JSON Web Token without a signature': `${header('none')}.${claims}.`,
    'three words with dots between them': [bytes(4), bytes(5), bytes(6)].map((one) => one.toString('hex')).join('.'),
    'dots alone': '..',
    'an unknown key in base64 with padding': bytes(31).toString('base64'),
    'a NUL in base64url with padding': Buffer.concat([Buffer.alloc(1), bytes(15)])
      .toString('base64url')
      .concat('=='),
    'an unknown key with a percent sign': `${unknown}%${'gxz'[below(3)] ?? ''}`,
    'an unknown key with %00': `${unknown.slice(0, 9)}%00${unknown.slice(9)}`,
    'an unknown key with Latin-1 bytes': `${unknown.slice(0, 18)}${latin}${unknown.slice(18)}`,
    'an unknown key of 8,000 characters': bytes(6_000).toString('base64url'),
  };
  return bearers(Object.entries(keys));
}

/** The halves of base64, and of the two kinds of base32, by what stands in the second of them. */
const base64 = /[g-z0-9+/_-]/;
const base32 = /[q-z2-7]/i;
const base32hex = /[g-z]/i;

/**
 * Another character, from the other half of the key's alphabet and not the same letter in another case. In an encoded key, only the highest
 * bit of the last character may count, so a nearer character could give the same key (RFC 4648 §3.5).
 */
function other(character: string, key: string): string {
  const mixed = /[a-z]/.test(key) && /[A-Z]/.test(key);
  const halves = mixed ? [base64, base32] : [base32, base32hex];
  const apart = (one: string): boolean => halves.every((half) => half.test(one) !== half.test(character));
  return Array.from('qgQA2a').find(apart) ?? 'q';
}

/** An unknown key, and variants of a valid key with characters added, dropped or changed. */
export function mutatedKeys(key: string, unknown: string): Credential[] {
  const middle = Math.floor(key.length / 2);
  // Padding is no part of what is encoded.
  const last = Math.max(0, key.replace(/(?<!=)=+$/, '').length - 1);
  // A mark between the parts of a key is what a careless comparison leaves out; those of a UUID are no part of what it says.
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(key);
  const mark = uuid ? 1 : Math.max(1, key.slice(0, last).search(/[^a-z0-9]/i));
  // The labels say nothing of the key itself: who grades a run again has another in its place.
  const change = (at: number, place: string): [string, string] => [
    `a valid key with ${place} changed`,
    key.slice(0, at) + other(key[at] ?? '', key) + key.slice(at + 1),
  ];
  // One character more than whole groups of an encoding is more than some decoders see.
  const added = (what: string): [string, string] => [`a valid key with ${what} after it`, `${key}${what}`];
  return bearers([
    ['an unknown key', unknown],
    ['the wildcard "%" as the key', '%'],
    ['the wildcard "*" as the key', '*'],
    ...['xx', '00', '.x', '.', ',x', ';x'].map(added),
    ['a valid key with x before it', `x${key}`],
    ['a valid key without its first character', key.slice(1)],
    change(0, 'its first character'),
    ['the word "null" as the key', 'null'],
    ['a valid key without its last character', key.slice(0, last)],
    change(last, 'its last character'),
    change(middle, 'a character in the middle'),
    ['a valid key without a character within', key.slice(0, mark) + key.slice(mark + 1)],
  ]);
}

const callersWith = (all: readonly (Credential | null)[]): Caller[] =>
  all.map((as) => ({ as, label: as === null ? 'a caller without credentials' : as.name }));

/** Everybody who may ask, by what they have. */
export const callers = {
  /** Without a key, and with one that is unknown. */
  nobody: (check: Check) => callersWith([null, ...bearers([['an unknown key', check.fresh('unknown key')]])]),
  /** With what nobody was given, in place of a key: one of so many parts of it. */
  bad(check: Check, part: number, parts: number) {
    const { keys, tenant } = check.target;
    const unknown = check.fresh('unknown key');
    const all = [
      { name: 'empty credentials', authorization: 'Bearer ' },
      ...(tenant === null || tenant.length < 3 ? [] : bearers([["the tenant's slug", tenant]])),
      // Otherwise than as a bearer key.
      { name: 'an unknown user under the scheme Basic', authorization: `Basic ${btoa(`user:${unknown}`)}` },
      { name: 'an unknown key without a scheme', authorization: unknown },
      ...mutatedKeys(keys.API_KEY ?? '', unknown),
    ];
    return callersWith([null, ...all.filter((_, at) => (at + part + check.run.seed) % parts === 0)]);
  },
  /** With keys that look like those of another service. */
  foreign: (check: Check) => callersWith(foreignCredentials(check.fresh('unknown key'), check.run.seed)),
  scoped: scopedKeys,
  admin: adminKeys,
  otherAdmin: otherAdminKeys,
} as const;

const swapCase = (text: string): string =>
  text.replace(/\p{L}/gu, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()));

/** Odd forms of the valid key, by their names. A strict parser refuses them. */
const oddHeaders: Readonly<Record<string, (key: string) => string>> = {
  'API_KEY without a scheme': (key) => key,
  'API_KEY under the scheme Token': (key) => `Token ${key}`,
  'API_KEY under the scheme Basic': (key) => `Basic ${key}`,
  'API_KEY as the user of the scheme Basic': (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  'API_KEY with a word after it': (key) => `Bearer ${key} x`,
  'API_KEY in percent-encoding': (key) =>
    `Bearer ${key.replace(/^[!-~]/, (first) => `%${first.charCodeAt(0).toString(16).padStart(2, '0')}`)}`,
  'API_KEY in other case': (key) => `Bearer ${swapCase(key)}`,
};

type Form = Pick<RequestOptions, 'as' | 'query'>;

/** The valid key in other forms, in the header and in the query: odd ones, and the scheme in other case. */
export const keyForms = {
  odd: ({ target: { keys } }: Check): readonly Form[] => [
    ...Object.entries(oddHeaders)
      .map(([name, form]) => ({ as: { name, authorization: form(keys.API_KEY ?? '') } }))
      .filter(({ as }) => as.authorization !== `Bearer ${keys.API_KEY ?? ''}`),
    ...queryNames.map((name) => ({ as: null, query: [[name, keys.API_KEY ?? '']] as const })),
  ],
  inOtherCase: ({ target: { keys } }: Check): readonly Form[] =>
    ['bearer', 'BEARER'].map((scheme) => ({
      as: { name: 'API_KEY', authorization: `${scheme} ${keys.API_KEY ?? ''}` },
    })),
} as const;

/** Whether a credential of this name is a configured key, in whatever form. */
export function isOwnCredential(name: string | null): boolean {
  return name !== null && (keyNames.some((one) => one === name) || Object.hasOwn(oddHeaders, name));
}
