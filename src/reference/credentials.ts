import type { ApiKey } from './api-keys.js';
import type { Behaviour, Exchange } from './instance.js';

/** The key as it was sent; null for none. */
function presentedKey({ headers, world }: Exchange): string | null {
  const value = headers.authorization;
  if (value === undefined) return null;
  const form = world.option('credentials-form');
  const match = (form === 'first-word' ? /^(\S+)[ \t]+(\S+)/ : /^(\S+)[ \t]+(\S+)[ \t]*$/).exec(value);
  if (match === null) {
    if (/^bearer[ \t]*$/i.test(value)) return '';
    return form === 'bare-key' ? value.trim() : null;
  }
  const [, scheme = '', key = ''] = match;
  const isBearer = form === 'exact' ? scheme === 'Bearer' : /^bearer$/i.test(scheme);
  return isBearer || form === 'any-scheme' ? key : null;
}

/** The text with its percent-encoded characters read. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The bytes that a key encodes; null where it is none in base64url. */
function bytesOf(key: string): Buffer | null {
  return /^dk_[\w-]{43}$/.test(key) ? Buffer.from(key.slice(3), 'base64url') : null;
}

function matches(presented: string, key: string, form: string): boolean {
  if (presented === key) return true;
  if (form === 'any-key-case') return presented.toLowerCase() === key.toLowerCase();
  if (form === 'percent-decoded') return percentDecoded(presented) === key;
  if (form !== 'decoded') return false;
  const [given, bytes] = [bytesOf(presented), bytesOf(key)];
  return given !== null && bytes !== null && given.equals(bytes);
}

/** Reads the credentials of a request and finds whose they are; `presented` is null for no key, or an empty one. */
export function readCredentials(exchange: Exchange): {
  readonly presented: string | null;
  readonly key: ApiKey | null;
} {
  const { option, apply, keys } = exchange.world;
  const presented = presentedKey(exchange);
  const form = option('credentials-form');
  const isOf = ({ value }: ApiKey): boolean =>
    apply('keyMatches', matches(presented ?? '', value, form), presented ?? '', value);
  const found = presented === null || presented === '' ? undefined : keys.find(isOf);
  return {
    presented: presented === '' ? null : presented,
    key: apply('key', found ?? null, presented, exchange),
  };
}

/** Whether a key's scopes grant an operation that needs this one. */
export function grants(key: ApiKey, scope: string, { option }: Behaviour): boolean {
  if (key.scopes.includes('admin:*') || key.scopes.includes(scope)) return true;
  return option('write-implies-read') === 'yes' && key.scopes.includes(scope.replace(/^read:/, 'write:'));
}
