import fc from 'fast-check';
import { phoneArbitrary } from './phones.js';

const earliest = new Date('1970-01-01T00:00:00.000Z');
const latest = new Date('2099-12-31T23:59:59.000Z');
const instant = fc.date({ min: earliest, max: latest, noInvalidDate: true }).map((date) => date.toISOString());
const word = fc.stringMatching(/^[a-z]{1,10}$/);
const host = fc
  .tuple(word, fc.constantFrom('example.org', 'example.com', 'example.net'))
  .map(([name, domain]) => `${name}.${domain}`);
const email = fc
  .tuple(word, fc.constantFrom('', '.b', '+tag', '-c', '1'), host)
  .map(([name, tail, at]) => `${name}${tail}@${at}`);
const url = fc
  .tuple(host, fc.constantFrom('', '/', '/a/b', '/a?b=c', '/a%20b#d', ':8443/x'))
  .map(([name, path]) => `https://${name}${path}`);

const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid({ version: [1, 4, 7] }),
  'date-time': instant,
  'iso-date-time': instant,
  date: instant.map((text) => text.slice(0, 10)),
  time: instant.map((text) => text.slice(11)),
  'iso-time': instant.map((text) => text.slice(11)),
  duration: fc.constantFrom('P1D', 'PT15M', 'P1Y2M3DT4H5M6S', 'P3W', 'PT0S'),
  email,
  'idn-email': email,
  uri: url,
  url,
  iri: url,
  'uri-reference': fc.oneof(url, fc.constantFrom('/a/b', '../c?d', '#e')),
  'iri-reference': fc.oneof(url, fc.constantFrom('/a/b', '../c?d', '#e')),
  'uri-template': fc.constantFrom('/units/{id}', 'https://example.org/{a}{?b}'),
  hostname: host,
  'idn-hostname': host,
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  'json-pointer': fc.constantFrom('', '/a', '/a/0/b', '/~0/~1'),
  'relative-json-pointer': fc.constantFrom('0', '1/a', '2#'),
  regex: fc.constantFrom('^a+$', '[0-9]{2}', 'x|y'),
  byte: fc.base64String({ maxLength: 32 }),
  binary: fc.stringMatching(/^[ -~]{0,24}$/),
  password: fc.stringMatching(/^[A-Za-z][ -~]{0,20}[0-9]$/),
  phone: phoneArbitrary(),
  tel: phoneArbitrary(),
  e164: phoneArbitrary(),
  'phone-number': phoneArbitrary(),
};

/** Strings of a format, or null for one that is not known here. */
export function formatArbitrary(format: string, minLength: number, maxLength: number): fc.Arbitrary<string> | null {
  const made = Object.hasOwn(known, format) ? known[format] : undefined;
  if (!made) return null;
  if (minLength <= 12 || !Number.isFinite(minLength)) return made;
  // Long addresses are still addresses: the local part and the path may be stretched.
  const filler = Math.min(minLength, maxLength);
  if (format.endsWith('email'))
    return fc.oneof(
      made,
      email.map((text) => `${'a'.repeat(Math.max(1, Math.min(60, filler - text.length)))}${text}`),
    );
  if (format === 'uri' || format === 'url')
    return fc.oneof(
      made,
      url.map((text) => `${text}${'/a'.repeat(Math.ceil(filler / 2))}`),
    );
  return made;
}
