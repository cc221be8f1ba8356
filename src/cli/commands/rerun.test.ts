import { expect, test } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rerunArguments } from './rerun.js';
import { readArguments } from '../arguments.js';
import { corePasses, sampleReport, sampleResult } from '../../reports/test-kit.js';
import { scratch } from '../../folder.test-kit.js';

test('rerun takes what failed, was blocked or broke the suite, with the same seed, and nothing else', async () => {
  using place = scratch();
  const report = sampleReport([
    ...corePasses,
    sampleResult('UNIT-07', 'fail'),
    sampleResult('IDEM-03', 'blocked'),
    sampleResult('LEAD-05', 'error'),
    sampleResult('LEAD-06', 'warn'),
    sampleResult('HOOK-01', 'not-applicable'),
  ]);
  const file = join(place.folder, 'conformance.json');
  writeFileSync(file, JSON.stringify(report));
  mkdirSync(join(place.folder, 'evidence'));
  writeFileSync(
    join(place.folder, 'evidence', 'run.json'),
    JSON.stringify({
      format: 'dealership-conformance-run/1',
      suite: report.suite,
      started: report.started,
      seed: 42,
      nonce: 'n',
      depth: 'gate',
      requestBudget: 90,
      only: null,
      embedded: false,
      settings: {
        BASE_URL: 'https://api.example.test',
        TENANT: 'north',
        API_KEY: '[set]',
        LIMITS_DEMO: '20/1s',
        WEBHOOK_TRIGGER: 'https://api.example.test/?token=[redacted:WEBHOOK_TRIGGER]',
      },
      order: [],
      ended: true,
    }),
  );
  const given = { command: 'rerun', operands: [place.folder], settings: { TENANT: 'south' }, options: {} };
  const due = rerunArguments(given);
  expect(due?.again.options).toMatchObject({
    only: 'UNIT-07,IDEM-03,LEAD-05',
    requests: 90,
    out: join(place.folder, 'rerun'),
  });
  const settings = { BASE_URL: 'https://api.example.test', LIMITS_DEMO: '20/1s', SEED: '42' };
  expect(due?.again.settings).toEqual({ ...settings, TENANT: 'south' });
  expect(due?.depth).toBe('gate');
  const one = ['rerun', place.folder, '--only', 'unit-01', '--path', '3:0'];
  expect(rerunArguments(readArguments(one))?.again).toMatchObject({
    options: { only: 'unit-01', path: '3:0', out: join(place.folder, 'replay-UNIT-01') },
    settings: { ...settings, TENANT: 'north' },
  });
  writeFileSync(file, JSON.stringify(sampleReport(corePasses)));
  expect(rerunArguments({ command: 'rerun', operands: [file], settings: {}, options: {} })).toBeNull();
});
