import { expect, test } from '@playwright/test';
import { scratch } from '../certification/run.test-kit.js';
import { SettingsError } from '../target/settings-error.js';
import type { RawSettings } from '../target/setting-table.js';
import { load } from './load.js';
import { parseSeconds } from './load-options.js';

const elsewhere = { BASE_URL: 'http://service.example', API_KEY_INDEPENDENT: 'k' } as const;

const wrong: readonly (readonly [string, Record<string, string>, RegExp, RawSettings?, string[]?])[] = [
  ['an unknown scenario', { scenario: 'flood' }, /--scenario is "flood"/],
  ['an unknown plan', { scenario: 'soak', plan: 'gold' }, /--plan is "gold"/],
  ['a rate that is none', { scenario: 'soak', rate: 'fast' }, /--rate is "fast"/],
  ['a duration that is none', { scenario: 'soak', duration: 'long' }, /--duration is "long"/],
  ['a ramp longer than all', { scenario: 'soak', duration: '5s', ramp: '10s' }, /--ramp is longer/],
  ['a threshold that is none', { scenario: 'soak', threshold: 'p95<200ms,fast' }, /"fast" cannot be read/],
  ['a mix that is missing', { scenario: 'soak', mix: '/nowhere.json' }, /--mix names/],
  ['a soak’s flag elsewhere', { scenario: 'burst', rate: '5' }, /--rate belongs to --scenario soak/],
  ['a flag of certify', { scenario: 'burst', only: 'LIMIT-01' }, /--only is not for load/],
  ['an operand', { scenario: 'burst' }, /"now" is not understood/, {}, ['now']],
  ['a soak of a host that is not named', { scenario: 'soak' }, /service\.example: name it in ALLOW_LOAD/, elsewhere],
  [
    'limits of a host that is not named',
    { scenario: 'burst', plan: 'independent' },
    /service\.example: name it in ALLOW_LOAD/,
    elsewhere,
  ],
  ['a plan without a key', { scenario: 'burst', plan: 'franchise' }, /set API_KEY_FRANCHISE/, elsewhere],
  ['a soak of a plan without a key', { scenario: 'soak', plan: 'enterprise' }, /set API_KEY_ENTERPRISE/, elsewhere],
  ['an export for nobody', {}, /load export needs/, {}, ['export']],
  ['an export of no service', { k6: '-' }, /BASE_URL is not set/, {}, ['export']],
  ['an export of no night', { prometheus: '-' }, /there is no soak run/, {}, ['export']],
];

test('what cannot be done is said in one sentence before anything is sent', async () => {
  const { folder, remove } = scratch();
  for (const [what, options, says, settings = {}, operands = []] of wrong) {
    const embedded = settings.BASE_URL === undefined;
    const error: unknown = await load({
      command: 'load',
      operands,
      settings,
      options: { out: folder, quiet: true, embedded, ...options },
    }).catch((thrown: unknown) => thrown);
    expect(error, what).toBeInstanceOf(SettingsError);
    expect((error as Error).message, what).toMatch(says);
    expect((error as Error).message.split('\n'), what).toHaveLength(1);
  }
  remove();
});

test('lengths of time are read with and without units', () => {
  expect(['60', '60s', '10m', '1h30m', '1.5s', '500ms'].map((text) => parseSeconds('duration', text))).toEqual([
    60, 60, 600, 5_400, 1.5, 0.5,
  ]);
  for (const text of ['', 's', '10 m', '-1s', '25h', '1m x'])
    expect(() => parseSeconds('duration', text), text).toThrow(SettingsError);
});
