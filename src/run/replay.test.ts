import { expect, test } from '@playwright/test';
import { readTarget } from '../target/read-target.js';
import { openRun } from './open-run.js';
import { replayLine } from './replay.js';

test('a replay line repeats the command, the target and the options, and names secrets as variables', () => {
  const line = replayLine(
    {
      command: (id) => ['gate', '--only', id, '--requests', '50'],
      settings: {
        BASE_URL: 'https://staging.example',
        API_KEY: 'sesame-1234',
        TENANT: "o'hara",
        LIMITS_DEMO: '20/1s',
        WEBHOOK_TRIGGER: 'https://staging.example/emit?token=abcdefgh12345678&kind={kind}',
        READ_ONLY: '1',
        SEED: '3',
      },
      out: 'reports/',
    },
    42,
    'UNIT-01',
  );
  expect(line).toBe(
    'API_KEY="$API_KEY" WEBHOOK_TRIGGER="$WEBHOOK_TRIGGER" npx dealership-conformance gate --only UNIT-01 --requests 50 ' +
      "--base-url https://staging.example --tenant 'o'\\''hara' --limits-demo 20/1s --read-only --seed 42 --out reports/replay-UNIT-01",
  );
});

test('a replay asks for the embedded service where that was judged', () => {
  const run = openRun(readTarget({ BASE_URL: 'http://127.0.0.1:1' }, true), { seed: 1 });
  expect(run.replay('UNIT-01')).toContain(' certify --embedded --only UNIT-01 --seed 1 --out reports/replay-UNIT-01');
});
