import { expect, test } from '@playwright/test';
import { loadChecks } from '../requirement/load-checks.js';
import { dials } from '../reference/dials.js';
import { faults } from '../reference/faults/faults.js';
import { randomFrom } from '../run/random.js';
import { constantCases, faultCases, strangerCases, variantCases } from './cases.js';
import type { Case } from './cases.js';
import { judgeService } from './judge-service.js';
import { outcomeOfCase, problemsOf } from './outcome.js';

test.describe.configure({ mode: 'parallel' });

/** Options of the reference service, each drawn by itself. */
function drawVariant(seed: number): Record<string, string> {
  const random = randomFrom(seed);
  return Object.fromEntries(
    dials.map(({ name, values }) => [name, values[Math.floor(random() * values.length)] ?? '']),
  );
}

async function expectAsIntended(one: Case): Promise<void> {
  expect(problemsOf(outcomeOfCase(one, await judgeService(await one.start(), one.options)))).toEqual([]);
}

const quick = (one: Case): boolean => one.waits !== true;

for (const one of faultCases('own').filter(quick))
  test(`the fault ${one.name} turns ${one.requirement ?? ''} red, and nothing unlisted`, () => expectAsIntended(one));

for (const one of [...variantCases([1, 2].map(drawVariant)), ...strangerCases().slice(0, 3)])
  test(`the conforming service "${one.name.slice(0, 80)}" has nothing red`, () => expectAsIntended(one));

const someConstants = /success|one unit|401|HTML|resets in/;
for (const one of constantCases().filter((each) => quick(each) && someConstants.test(each.name)))
  test(`a server that gives everybody the same answer (${one.name}) passes no MUST`, () => expectAsIntended(one));

test('every requirement that can fail or warn has a fault, and every fault a requirement', async () => {
  const catalogue = await loadChecks();
  const broken = new Set(faults.map((fault) => fault.requirement));
  // The receiver of a webhook is not the reference service; faulty receivers prove that check beside it.
  const elsewhere = new Set(['HOOK-08']);
  const unproven = catalogue
    .filter((entry) => entry.level !== 'OBSERVE' && !broken.has(entry.id) && !elsewhere.has(entry.id))
    .map((entry) => entry.id);
  expect(unproven).toEqual([]);
  expect([...broken].filter((id) => !catalogue.some((entry) => entry.id === id))).toEqual([]);
});
