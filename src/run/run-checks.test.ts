import { expect, test } from '@playwright/test';
import { suitePack } from '../suite-pack.js';
import type { Requirement } from '../requirement/requirement.js';
import type { Run } from './run.js';
import { planOf, usualConcurrency, type RunPlan } from './run-checks.js';

const { requirements, sections } = suitePack;
const ids = ({ stages }: Pick<RunPlan, 'stages'>): string[][] => stages.map((stage) => stage.map(({ id }) => id));
const named = (wanted: string): Requirement => {
  const found = requirements.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(wanted);
  return found;
};

test('what changes units waits for what lists them, and limits, webhooks and the envelope come alone at the end', () => {
  const plan = planOf(requirements, sections);
  const stages = ids(plan);
  expect(stages.flat().toSorted()).toEqual(requirements.map(({ id }) => id).toSorted());
  const [, ...alone] = stages;
  const waits = (one: string, other: string): boolean | undefined => plan.waitsFor?.(named(one), named(other));
  for (const id of ['UNIT-11', 'AUTH-03', 'IDEM-09', 'VER-01']) {
    expect(waits(id, 'UNIT-05'), id).toBe(true);
    expect(waits('UNIT-05', id), id).toBe(false);
    for (const other of ['LEAD-03', 'PLAN-01', 'AUTH-01']) expect(waits(id, other), other).toBe(false);
  }
  expect(alone.every((stage) => stage.length === 1)).toBe(true);
  expect(new Set(alone.flat().map((id) => id.split('-')[0]))).toEqual(new Set(['IDEM', 'HOOK', 'LIMIT', 'ENV']));
  expect(alone.flat().filter((id) => id.startsWith('IDEM'))).toEqual(['IDEM-01']);
  expect(alone.at(-1)?.[0]).toMatch(/^ENV/);
});

test('the longest sections are begun first, and the shortest where time is short', () => {
  expect(ids(planOf(requirements, sections))[0]?.[0]).toMatch(/^UNIT/);
  expect(ids(planOf(requirements, sections, true))[0]?.[0]).toMatch(/^DEMO/);
});

test('a section of another pack that says nothing of others is judged alone', () => {
  const own = requirements.filter(({ section }) => section === 'DEAL');
  expect(ids(planOf(own, [{ id: 'DEAL', title: 'Deals' }]))).toEqual([[], ['DEAL-01'], ['DEAL-02']]);
});

test('a gate judges three requirements at once, and twelve where every answer is slow, on loopback as through a tunnel', async () => {
  const usual = (baseUrl: string, times: readonly number[], depth = 'gate'): Promise<number> =>
    usualConcurrency({
      depth,
      target: { baseUrl },
      exchanges: () => Promise.resolve(times.map((ms) => ({ response: {}, sentAtMs: 5, receivedAtMs: 5 + ms }))),
    } as unknown as Run);
  expect(await usual('https://api.example.test', [50, 52])).toBe(12);
  expect(await usual('https://api.example.test', [50, 3])).toBe(3);
  expect(await usual('https://api.example.test', [])).toBe(3);
  expect(await usual('https://api.example.test', [50], 'certify')).toBe(1);
  expect(await usual('http://127.0.0.1:8080', [39])).toBe(3);
  expect(await usual('http://127.0.0.1:8080', [40])).toBe(12);
});
