import type { SettingsError } from './settings-error.js';
import { wrongSetting } from './wrong-input.js';

/** Headers that the suite or HTTP itself sets. */
const ownNames = new Set([
  ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'expect', 'host', 'idempotency-key'],
  ...['keep-alive', 'te', 'traceparent', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'x-tenant'],
]);

/** The headers in HEADERS, one a line, names in lower case; throws SettingsError, in whose message no value stands. */
export function parseHeaders(text: string): (readonly [string, string])[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
    const wrong = (found: string): SettingsError =>
      wrongSetting(
        'HEADERS',
        `${found}${lines.length > 1 ? ` in line ${index + 1}` : ''}`,
        'other headers, as NAME: VALUE in visible ASCII, such as X-Proxy-Token: abc',
      );
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value)) throw wrong('no header');
    if (ownNames.has(name.toLowerCase())) throw wrong(`${name}, which the suite sets itself,`);
    return [name.toLowerCase(), value] as const;
  });
}

/** The name that replaces the value of such a header, here and as a shell variable. */
export function headerMark(name: string): string {
  return `HEADER_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}
