import { expect, test } from '@playwright/test';
import { misspeltSettings, strayLines } from './misspelt-settings.js';

test('a name in .env that is no setting is named, with the setting that it looks like', () => {
  const file = { BASE_ULR: 'x', API_KEY_READ_INVENTRY: 'x', LIMIT_MODL: 'x', apikey: 'x', COLOUR: 'x', TENANT: 'x' };
  expect(misspeltSettings({ TENANT: 'x' }, file, {})).toEqual([
    'BASE_ULR: did you mean BASE_URL?',
    'API_KEY_READ_INVENTRY: did you mean API_KEY_READ_INVENTORY?',
    'LIMIT_MODL: did you mean LIMIT_MODEL?',
    'apikey: did you mean API_KEY?',
    'COLOUR in .env is no setting of this suite and is not used.',
  ]);
});

test('a name in the environment is named where it looks like a setting that is not set, and only there', () => {
  const environment = { PATH: 'x', HOME: 'x', BASE_PATH: 'x', SHELL: 'x', BASE_URI: 'x', TENANTS: 'x' };
  expect(misspeltSettings({ TENANT: 'x' }, {}, environment)).toEqual(['BASE_URI: did you mean BASE_URL?']);
});

test('what other tools read of the environment is no misspelt setting', () => {
  const environment = { CI: '1', CC: 'gcc', FTP_PROXY: 'x', http_proxy: 'x', all_proxy: 'x' };
  expect(misspeltSettings({ TENANT: 'x' }, {}, environment)).toEqual([]);
  expect(misspeltSettings({ TENANT: 'x' }, { https_proxy: 'x' }, {})).toEqual([
    'https_proxy in .env is no setting of this suite and is not used.',
  ]);
});

test('a line of .env that is no setting is named by its number, without what it holds', () => {
  const quoted = 'CLIENT_CERT="first\nsecond"\n';
  expect(strayLines(`# BASE_URL http://x\n\nexport TENANT = x # mine\r\n${quoted}API_KEY: dk_a=b\nEMPTY=\n`)).toEqual(
    [],
  );
  expect(strayLines(`${quoted}BASE_URL http://x\nTENANT=x\n  dk_secret\n`)).toEqual([
    '.env, line 3: expected NAME=value, found no "="; it is not used.',
    '.env, line 5: expected NAME=value, found no "="; it is not used.',
  ]);
});
