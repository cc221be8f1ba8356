import { expect, test } from '@playwright/test';
import type { AnswerChange } from '../reference/change-answers.js';
import type { Verdict } from '../requirement/types.js';
import { certifyReference } from './certify.test-kit.js';

test.describe.configure({ mode: 'parallel' });

/** Leaves of the answer to a create what `fields` names. */
const showsOnly =
  (...fields: readonly string[]): AnswerChange =>
  ({ body }, { method, path }) => {
    const answer = body as { data?: Record<string, unknown> };
    if (method !== 'POST' || !path.endsWith('/v1/leads') || answer.data === undefined) return;
    answer.data = Object.fromEntries(Object.entries(answer.data).filter(([name]) => fields.includes(name)));
  };

const noList = { 'second-lead-operation': 'patch', 'lead-item': 'none' };

const found: readonly [string, Partial<Record<`IDEM-0${number}`, Verdict>>, AnswerChange, Record<string, string>?][] = [
  ['key-loses-last-character', { 'IDEM-05': 'fail' }, showsOnly()],
  ['lead-creation-races', { 'IDEM-03': 'fail' }, showsOnly()],
  ['key-kept-for-twelve', { 'IDEM-02': 'fail' }, showsOnly()],
  ['key-shared-across-tenants', { 'IDEM-06': 'fail' }, showsOnly('id'), noList],
  ['key-blocks-other-tenant', { 'IDEM-06': 'fail' }, showsOnly('id'), noList],
  ['refusal-poisons-key', { 'IDEM-07': 'fail' }, showsOnly('id')],
  ['key-ignored', { 'IDEM-01': 'fail' }, showsOnly('name', 'phone', 'vehicleId')],
];

for (const [fault, expected, change, variant = {}] of found) {
  test(`${fault} is found where the answers to creates show little of a lead${variant === noList ? ', and no list does' : ''}`, async () => {
    const { results } = await certifyReference(
      { faults: [fault], change, variant },
      { seed: 1, only: Object.keys(expected) },
    );
    const verdicts = [...results].map(([id, { verdict, reason }]) => [id, verdict, reason].slice(0, 2));
    expect(Object.fromEntries(verdicts)).toEqual(expected);
  });
}

for (const [what, change, variant] of [
  ['nothing', showsOnly(), {}],
  ['an id', showsOnly('id'), noList],
  ['what was sent', showsOnly('name', 'phone', 'vehicleId'), noList],
] as const) {
  test(`a service whose answers to creates show ${what}${variant === noList ? ', and that has no list,' : ''} conforms`, async () => {
    const { results } = await certifyReference({ change, variant }, { seed: 1 });
    const failed = [...results.values()].filter(({ verdict }) => !['pass', 'warn'].includes(verdict));
    expect(failed.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
  });
}

test('where nothing ever shows a lead, idempotency was never offered', async () => {
  const { results } = await certifyReference({ change: showsOnly(), variant: noList }, { seed: 1 });
  expect([...new Set([...results.values()].map((one) => one.verdict))]).toEqual(['not-applicable']);
  expect(results.get('IDEM-01')?.reason).toContain('one lead cannot be distinguished from two');
});

test('without a second tenant, isolation names the setting that would enable it', async () => {
  const { results } = await certifyReference({}, { seed: 1, only: ['IDEM-06'] }, { OTHER_API_KEY: '' });
  expect(results.get('IDEM-06')?.verdict).toBe('not-applicable');
  expect(results.get('IDEM-06')?.reason).toContain('OTHER_API_KEY');
});
