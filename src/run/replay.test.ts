import { expect, test } from '@playwright/test';
import { readTarget } from '../settings/read-target.js';
import { openRun } from './open-run.js';
import { replayLine, rerunInvocation } from './replay.js';

const flags = {
  BASE_URL: 'https://staging.example',
  API_KEY: 'sesame-1234',
  TENANT: "o'hara",
  LIMITS_DEMO: '20/1s',
  WEBHOOK_TRIGGER: 'https://staging.example/emit?token=abcdefgh12345678&kind={kind}',
  READ_ONLY: '1',
  SEED: '3',
};

test('a replay line names the report, and of the settings only secrets that were flags, as variables', () => {
  const line = (given = {}, more: readonly string[] = []): string =>
    replayLine(rerunInvocation('reports', { flags: given, more }), 42, 'UNIT-01');
  expect(line()).toBe('npx dealership-conformance rerun reports --only UNIT-01');
  expect(line(flags, ['--wait', '60'])).toBe(
    'API_KEY="$API_KEY" WEBHOOK_TRIGGER="$WEBHOOK_TRIGGER" npx dealership-conformance rerun reports --only UNIT-01 --wait 60',
  );
  const run = openRun(readTarget({ BASE_URL: 'http://127.0.0.1:1' }, true), { seed: 1 });
  expect(run.replay('UNIT-01')).toBe('npx dealership-conformance rerun reports --only UNIT-01');
});

test('a replay line repeats every flag of what leaves no file to read them from', () => {
  const { API_KEY, TENANT, LIMITS_DEMO, READ_ONLY } = flags;
  const embedded = rerunInvocation('a b', { flags: { API_KEY, TENANT, LIMITS_DEMO, READ_ONLY }, embedded: true });
  expect(replayLine(embedded, 42, 'UNIT-01')).toBe(
    `API_KEY="$API_KEY" npx dealership-conformance rerun 'a b' --only UNIT-01 --tenant 'o'\\''hara' --limits-demo 20/1s --read-only`,
  );
  const load = {
    command: (id: string, seed: number) => ['load', '--seed', String(seed), '--out', id],
    settings: flags,
  };
  expect(replayLine(load, 42, 'LIMIT-01')).toMatch(
    /^API_KEY="\$API_KEY" WEBHOOK_TRIGGER=\S+ npx dealership-conformance load --seed 42 --out LIMIT-01 --base-url https:/,
  );
});
