import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../folder.test-kit.js';
import { readTarget } from './read-target.js';
import { withBodies } from './request-body.js';
import { SettingsError } from './settings-error.js';
import { settingTable, type RawSettings } from './setting-table.js';

const wrongValues: Record<string, string> = {
  BASE_URL: 'staging',
  API_BASE_URL: 'ftp://x',
  SANDBOX_URL: 'http://user:word@x',
  API_KEY: 'two words',
  TENANT: 'ümlaut',
  LIMITS_DEMO: '100 per minute',
  LIMIT_MODEL: 'leaky',
  ASSISTANT_SEGMENT: 'a/b',
  SIGNATURE_HEADER: 'X Signature',
  WEBHOOK_LISTEN: 'somewhere',
  WEBHOOK_TRIGGER: 'http://x/fire',
  READ_ONLY: 'maybe',
  SEED: '-1',
};

for (const [name, value] of Object.entries(wrongValues)) {
  test(`a wrong ${name} is refused in one sentence that names it`, () => {
    const attempt = (): unknown => readTarget({ BASE_URL: 'http://127.0.0.1:1', [name]: value });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(new RegExp(`^${name} is .*expected .*;`));
  });
}

test('a wrong secret is not repeated in the message', () => {
  expect(() => readTarget({ BASE_URL: 'http://x', API_KEY: 'canary secret' })).toThrow(/^(?!.*canary)/);
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

test('what may hold a password is not said, though it is no URL', () => {
  for (const value of [
    'http://u:canary@host:99999',
    'ftp://u:canary@host/',
    'http://u:canary@ho st/',
    'https//u:canary@host',
  ])
    expect(() => readTarget({ BASE_URL: value }), value).toThrow(/^BASE_URL is (?!.*canary)/);
});

for (const [text, says] of [
  ['canary-canary', /^HEADERS is no header: expected other headers, as NAME: VALUE/],
  ['X-A: 1\ncanary canary: x', /^HEADERS is no header in line 2: expected/],
  ['X-A:', /is no header/],
  ['authorization: canary', /^HEADERS is authorization, which the suite sets itself,/],
  ['TraceParent: canary', /^HEADERS is TraceParent, which the suite sets itself,/],
] as const) {
  test(`headers such as ${JSON.stringify(text)} are refused in one sentence without their values`, () => {
    const attempt = (): unknown => readTarget({ BASE_URL: 'http://x', HEADERS: text });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(says);
    expect(attempt).toThrow(/^(?!.*canary)/);
  });
}

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

test('a client certificate that cannot be used is refused in one sentence', () => {
  const attempt = (more: Record<string, string>) => (): unknown => readTarget({ BASE_URL: 'http://x', ...more });
  expect(attempt({ CLIENT_CERT: 'none.pem' })).toThrow(/^CLIENT_CERT names none.pem, which cannot be read \(ENOENT\)/);
  expect(attempt({ CLIENT_KEY: 'package.json' })).toThrow(/^CLIENT_CERT is not set: expected both/);
  const wrong = { CLIENT_CERT: 'package.json', CLIENT_KEY: 'package.json' };
  expect(attempt(wrong)).toThrow(/^CLIENT_CERT names package.json, which cannot be used with CLIENT_KEY: expected/);
});

test('authorities that cannot be used are refused in one sentence', () => {
  const attempt = (file: string) => (): unknown => readTarget({ BASE_URL: 'http://x', CA: file });
  expect(attempt('none.pem')).toThrow(/^CA names none.pem, which cannot be read \(ENOENT\): expected a PEM file/);
  expect(attempt('package.json')).toThrow(/^CA names package.json, which holds no certificate .*: expected a PEM file/);
  using place = scratch();
  const file = join(place.folder, 'broken.pem');
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  expect(attempt(file)).toThrow(/^CA names .*broken.pem, which holds no certificate that can be read/);
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

test('a proxy that cannot be used is refused in one sentence without its password', () => {
  for (const value of ['socks5://u:canary@x', 'http://u:canary@x:99999', 'http://u:canary%zz@x', 'http://u:canary@'])
    expect(() => readTarget({ BASE_URL: 'https://x', HTTPS_PROXY: value }), value).toThrow(
      /^HTTPS_PROXY is no URL of an HTTP proxy: expected (?!.*canary)/,
    );
  // A machine's proxy for other programs matters only where it is used.
  for (const more of [{ BASE_URL: 'http://x' }, { BASE_URL: 'https://localhost' }, { NO_PROXY: '*' }])
    expect(() => readTarget({ BASE_URL: 'https://x', HTTPS_PROXY: 'socks5://x', ...more })).not.toThrow();
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

test('one key for two purposes is refused without the key', () => {
  const attempt = (more: Record<string, string>) => (): unknown =>
    readTarget({ BASE_URL: 'http://x', API_KEY: 'canary', ...more });
  expect(attempt({ API_KEY_READ_INVENTORY: 'canary' })).toThrow(
    /^API_KEY_READ_INVENTORY is the same key as API_KEY: (?!.*canary)/,
  );
  expect(attempt({ OTHER_API_KEY: 'canary' })).toThrow(/^OTHER_API_KEY is the same key as API_KEY/);
  expect(attempt({ API_KEY_READ_LEADS: 'k', API_KEY_WRITE_LEADS: 'k' })).toThrow(/^API_KEY_WRITE_LEADS is the same/);
  expect(attempt({ API_KEY_INDEPENDENT: 'canary' })).not.toThrow();
});

test('a body is read from its file, or a wrong one refused in one sentence', () => {
  using place = scratch();
  const file = join(place.folder, 'body.json');
  const attempt = (name: 'LEAD_BODY' | 'UNIT_BODY', text: string) => (): unknown => {
    writeFileSync(file, text);
    return readTarget({ BASE_URL: 'http://x', ...withBodies({ [name]: file }) });
  };
  expect(attempt('LEAD_BODY', '{"name": "Ana", "consent": true}')()).toMatchObject({
    leadBody: { name: 'Ana', consent: true },
    unitBody: null,
  });
  expect(attempt('UNIT_BODY', 'name: Ana')).toThrow(/^UNIT_BODY names .* no JSON: expected a JSON object, the body of/);
  expect(attempt('LEAD_BODY', '[1]')).toThrow(/^LEAD_BODY names .* no object: expected a JSON object/);
  expect(() => readTarget({ BASE_URL: 'http://x', LEAD_BODY: 'none.json' })).toThrow(
    /^LEAD_BODY names none.json, which cannot be read \(ENOENT\): expected a JSON object/,
  );
});
