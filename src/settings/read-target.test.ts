import { expect, test } from '@playwright/test';
import { readTarget } from './read-target.js';
import { SettingsError } from './settings-error.js';
import { settingTable } from './setting-table.js';

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
  ['canary-canary', /^HEADERS \(or --header\) is no header: expected NAME: VALUE/],
  ['X-A: 1\ncanary canary: x', /^line 2 of HEADERS .* is no header/],
  ['X-A:', /is no header/],
  ['authorization: canary', /names authorization, which the suite sets itself/],
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
  expect(attempt(wrong)).toThrow(/^CLIENT_CERT \(package.json\) and CLIENT_KEY .* cannot be used: expected/);
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
