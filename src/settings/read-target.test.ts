import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../folder.test-kit.js';
import { readTarget } from './read-target.js';
import { withBodies } from './request-body.js';
import { SettingsError } from './settings-error.js';
import { settingTable, type RawSettings } from './setting-table.js';

/** Wrong settings, and the beginning of the sentence; whatever may be a secret holds "canary". */
const wrong: readonly (readonly [RawSettings, RegExp])[] = [
  [{ BASE_URL: 'staging' }, /^BASE_URL is .*expected .*;/],
  [{ API_BASE_URL: 'ftp://x' }, /^API_BASE_URL is .*expected .*;/],
  [{ SANDBOX_URL: 'http://user:canary@x' }, /^SANDBOX_URL is .*expected .*;/],
  ...['http://u:canary@host:99999', 'ftp://u:canary@host/', 'http://u:canary@ho st/', 'https//u:canary@host'].map(
    (BASE_URL) => [{ BASE_URL }, /^BASE_URL is /] as const,
  ),
  [{ API_KEY: 'canary secret' }, /^API_KEY is .*expected .*;/],
  [{ TENANT: 'ümlaut' }, /^TENANT is .*expected .*;/],
  [{ LIMITS_DEMO: '100 per minute' }, /^LIMITS_DEMO is .*expected .*;/],
  [{ LIMIT_MODEL: 'leaky' }, /^LIMIT_MODEL is .*expected .*;/],
  [{ ASSISTANT_SEGMENT: 'a/b' }, /^ASSISTANT_SEGMENT is .*expected .*;/],
  [{ SIGNATURE_HEADER: 'X Signature' }, /^SIGNATURE_HEADER is .*expected .*;/],
  [{ WEBHOOK_LISTEN: 'somewhere' }, /^WEBHOOK_LISTEN is .*expected .*;/],
  [{ WEBHOOK_TRIGGER: 'http://x/fire' }, /^WEBHOOK_TRIGGER is .*expected .*;/],
  [{ READ_ONLY: 'maybe' }, /^READ_ONLY is .*expected .*;/],
  [{ SEED: '-1' }, /^SEED is .*expected .*;/],
  [{ HEADERS: 'canary-canary' }, /^HEADERS is no header: expected other headers, as NAME: VALUE/],
  [{ HEADERS: 'X-A: 1\ncanary canary: x' }, /^HEADERS is no header in line 2: expected/],
  [{ HEADERS: 'X-A:' }, /is no header/],
  [{ HEADERS: 'authorization: canary' }, /^HEADERS is authorization, which the suite sets itself,/],
  [{ HEADERS: 'TraceParent: canary' }, /^HEADERS is TraceParent, which the suite sets itself,/],
  [{ CLIENT_CERT: 'none.pem' }, /^CLIENT_CERT names none.pem, which cannot be read \(ENOENT\)/],
  [{ CLIENT_KEY: 'package.json' }, /^CLIENT_CERT is not set: expected both/],
  [
    { CLIENT_CERT: 'package.json', CLIENT_KEY: 'package.json' },
    /^CLIENT_CERT .*cannot be used with CLIENT_KEY: expected/,
  ],
  [{ CA: 'none.pem' }, /^CA names none.pem, which cannot be read \(ENOENT\): expected a PEM file/],
  [{ CA: 'package.json' }, /^CA names package.json, which holds no certificate .*: expected a PEM file/],
  [{ LEAD_BODY: 'none.json' }, /^LEAD_BODY names none.json, which cannot be read \(ENOENT\): expected a JSON object/],
  [{ LEAD_BODY: 'README.md' }, /^LEAD_BODY names README.md, which is no JSON: expected a JSON object, the body of/],
  [{ UNIT_BODY: 'src/traffic/recorded' }, /^UNIT_BODY names src\/traffic\/recorded, which is a folder/],
  ...['socks5://u:canary@x', 'http://u:canary@x:99999', 'http://u:canary%zz@x', 'http://u:canary@'].map(
    (HTTPS_PROXY) =>
      [{ BASE_URL: 'https://x', HTTPS_PROXY }, /^HTTPS_PROXY is no URL of an HTTP proxy: expected/] as const,
  ),
  [{ API_KEY: 'canary', API_KEY_READ_INVENTORY: 'canary' }, /^API_KEY_READ_INVENTORY is the same key as API_KEY: /],
  [{ API_KEY: 'canary', OTHER_API_KEY: 'canary' }, /^OTHER_API_KEY is the same key as API_KEY/],
  [{ API_KEY_READ_LEADS: 'k', API_KEY_WRITE_LEADS: 'k' }, /^API_KEY_WRITE_LEADS is the same/],
];

for (const [settings, says] of wrong)
  test(`${JSON.stringify(settings)} is refused in one sentence, without a secret`, () => {
    const attempt = (): unknown => readTarget({ BASE_URL: 'http://127.0.0.1:1', ...withBodies(settings) });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(says);
    expect(attempt).toThrow(/^(?!.*canary)[^\n]*$/);
  });

test('the plans carry the sold numbers unless settings change them', () => {
  const target = readTarget({ BASE_URL: 'https://x/' });
  expect(target.baseUrl).toBe('https://x');
  expect(target.limits.independent).toEqual([
    { count: 600, windowSeconds: 60 },
    { count: 100, windowSeconds: 1 },
  ]);
  expect(target.limits.enterprise).toBeNull();
  expect(new Set(settingTable.map((entry) => entry.name)).size).toBe(settingTable.length);
});

test('headers are read one a line, and their values are secrets by their own names', () => {
  const { headers, secrets } = readTarget({ BASE_URL: 'http://x', HEADERS: 'X-Proxy-Token: a: b \n\nCookie: c=d' });
  expect(headers).toEqual([
    ['x-proxy-token', 'a: b'],
    ['cookie', 'c=d'],
  ]);
  expect(secrets).toEqual([
    ['HEADER_X_PROXY_TOKEN', 'a: b'],
    ['HEADER_COOKIE', 'c=d'],
  ]);
});

const proxyOf = (url: string, settings: RawSettings, embedded = false): string | null => {
  const proxy = readTarget({ BASE_URL: 'http://x', ...settings }, embedded).network.proxyFor(url);
  return proxy === null ? null : `${proxy.setting} ${proxy.host}`;
};

test('each scheme has its proxy, PROXY replaces both, and none leads to the embedded service', () => {
  const both = { HTTP_PROXY: 'plain.example:3128', HTTPS_PROXY: 'https://secure.example' };
  expect(proxyOf('http://a', both)).toBe('HTTP_PROXY plain.example:3128');
  expect(proxyOf('https://a', both)).toBe('HTTPS_PROXY secure.example');
  expect(proxyOf('https://a', { HTTP_PROXY: 'plain.example' })).toBeNull();
  for (const url of ['http://localhost:8', 'http://127.0.0.2', 'https://[::1]:8443']) {
    expect(proxyOf(url, both), url).toBeNull();
    expect(proxyOf(url, { ...both, PROXY: 'every.example' }), url).toBe('PROXY every.example');
  }
  const every = { ...both, PROXY: 'http://[::1]:3128' };
  for (const url of ['http://a', 'https://a']) expect(proxyOf(url, every)).toBe('PROXY [::1]:3128');
  expect(proxyOf('http://a', { ...every, PROXY: 'canary://x' }, true)).toBeNull();
});

for (const [list, direct, proxied] of [
  ['example.com', ['http://example.com', 'https://a.example.com:8443'], ['http://example.org', 'http://anexample.com']],
  ['.example.com, *.b.test', ['http://a.example.com', 'http://example.com', 'http://a.b.test'], ['http://com']],
  ['example.com:8080 127.0.0.1', ['http://example.com:8080', 'http://127.0.0.1:9'], ['http://example.com']],
  ['example.com:443', ['https://example.com'], ['http://example.com']],
  ['10.0.0.0/8,[::1]', ['http://10.1.2.3', 'http://[::1]:80'], ['http://11.1.2.3', 'http://[::2]']],
  ['fd00::/8', ['http://[fd12::1]'], ['http://[fe00::1]']],
  ['*', ['http://example.com', 'https://10.0.0.1'], []],
  ['10.0.0.0/99,,', [], ['http://10.0.0.1']],
] as const)
  test(`NO_PROXY=${list} names the hosts that are reached directly`, () => {
    const settings = { PROXY: 'http://proxy.example', NO_PROXY: list };
    for (const url of direct) expect(proxyOf(url, settings), url).toBeNull();
    for (const url of proxied) expect(proxyOf(url, settings), url).toBe('PROXY proxy.example');
  });

test('a proxy of the machine for other programs matters only where it is used, and the key of a plan may be any key', () => {
  for (const more of [{ BASE_URL: 'http://x' }, { BASE_URL: 'https://localhost' }, { NO_PROXY: '*' }])
    expect(() => readTarget({ BASE_URL: 'https://x', HTTPS_PROXY: 'socks5://x', ...more })).not.toThrow();
  expect(() => readTarget({ BASE_URL: 'http://x', API_KEY: 'k', API_KEY_INDEPENDENT: 'k' })).not.toThrow();
});

test('the password of a proxy is a secret wherever it stands, one that is an ordinary word only beside its user', () => {
  const secretsOf = (url: string): unknown => readTarget({ BASE_URL: 'http://x', PROXY: url }).secrets;
  expect(secretsOf('http://al:p%40ss-7741@x:1')).toEqual([
    ['PROXY', 'al:p%40ss-7741'],
    ['PROXY', 'al:p@ss-7741'],
    ['PROXY', 'p%40ss-7741'],
    ['PROXY', 'p@ss-7741'],
  ]);
  expect(secretsOf('alice:inventory@x:1')).toEqual([['PROXY', 'alice:inventory']]);
  expect(secretsOf('http://token-7741@x:1')).toEqual([
    ['PROXY', 'token-7741:'],
    ['PROXY', 'token-7741'],
  ]);
  expect(secretsOf('http://somebody@x:1')).toEqual([['PROXY', 'somebody:']]);
});

test('files are read: a body, and authorities that cannot be used', () => {
  using place = scratch();
  const file = (text: string): string => {
    writeFileSync(join(place.folder, 'file'), text);
    return join(place.folder, 'file');
  };
  const target = readTarget({ BASE_URL: 'http://x', ...withBodies({ LEAD_BODY: file('{"name": "Ana"}') }) });
  expect(target).toMatchObject({ leadBody: { name: 'Ana' }, unitBody: null });
  expect(() => withBodies({ LEAD_BODY: file('[1]') })).toThrow(/^LEAD_BODY names .* no object: expected a JSON object/);
  const CA = file('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  expect(() => readTarget({ BASE_URL: 'http://x', CA })).toThrow(
    /^CA names .*, which holds no certificate that can be/,
  );
});
