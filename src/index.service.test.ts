import { readdir } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { defineRequirement, run, SettingsError, startReference, type Reference, type Report } from './index.js';
import { scratch } from './folder.test-kit.js';

let reference: Reference;
test.beforeAll(async () => (reference = await startReference({ faults: ['deal-id-number'] })));
test.afterAll(() => reference.close());

const verdicts = ({ requirements }: Report): string[] => requirements.map(({ id, verdict }) => `${id} ${verdict}`);

test('a run tells its reporters what it does, and writes the files that are asked for and no others', async () => {
  const heard: string[] = [];
  using place = scratch();
  const out = place.folder;
  const report = await run({
    settings: reference.settings,
    depth: 'gate',
    only: ['DEAL', 'OURS-01'],
    seed: 7,
    out,
    packs: [
      {
        name: 'ours',
        sections: [{ id: 'OURS', title: 'House rules' }],
        requirements: [
          defineRequirement({
            id: 'OURS-01',
            level: 'SHOULD',
            source: 'house rule 1',
            title: 'a rule of ours',
            body: async ({ check }) => check.fail({ code: 'odd', expected: 'more', actual: 'less' }),
          }),
        ],
      },
    ],
    reporters: [
      'json',
      {
        begin: ({ requirements, seed }) => void heard.push(`${requirements.length} with ${seed}`),
        starting: ({ id }) => void heard.push(id),
        result: ({ verdict }) => void heard.push(verdict),
        end: ({ outcome }) => void heard.push(outcome),
      },
    ],
  });
  expect(verdicts(report)).toEqual(['DEAL-01 pass', 'DEAL-02 fail', 'OURS-01 warn']);
  // The next may have begun before the one before it is told.
  const isId = (one: string): boolean => /^[A-Z]+-\d+$/.test(one);
  expect(heard.filter(isId)).toEqual(['DEAL-01', 'DEAL-02', 'OURS-01']);
  expect(heard.filter((one) => !isId(one))).toEqual(['3 with 7', 'pass', 'fail', 'warn', 'nonconformant']);
  expect((await readdir(out)).sort()).toEqual(['conformance.json', 'evidence']);
});

test('a signal ends a run, and what was not judged is blocked', async () => {
  const off = new AbortController();
  const report = await run({
    settings: reference.settings,
    depth: 'gate',
    only: ['DEAL', 'PLAN'],
    // Unless given, several are judged at once where answers are slow, as on a busy machine.
    concurrency: 1,
    signal: off.signal,
    reporters: [{ result: () => off.abort() }],
  });
  expect(report.outcome).toBe('incomplete');
  const blocked = report.requirements.filter(({ verdict }) => verdict === 'blocked');
  expect(blocked.length).toBeGreaterThan(0);
  expect(blocked.length).toBeLessThan(report.requirements.length);
  for (const { reason } of blocked) expect(reason).toBe('the run was interrupted');
});

test('wrong settings, ids and packs are refused before anything is sent', async () => {
  const settings = reference.settings;
  const twice = { name: 'ours', sections: [{ id: 'DEAL', title: 'Deals' }], requirements: [] };
  for (const [options, says] of [
    [{ settings: {} }, /BASE_URL is missing/],
    [{ settings: { ...settings, BASE_URL: 'nonsense' } }, /BASE_URL is "nonsense"/],
    [{ settings, only: ['DEAL-99'] }, /DEAL-99/],
    [{ settings, packs: [twice] }, /section DEAL is defined twice/],
    [{ settings, seed: -1 }, /SEED is "-1"/],
  ] as const) {
    const error: unknown = await run(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toMatch(says);
  }
});
