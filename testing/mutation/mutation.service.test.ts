import { expect, test } from '@playwright/test';
import { loadPacks } from '../../src/packs.js';
import { faults, variantOptions } from '../../src/reference/index.js';
import { constantCases, faultCases, independentServiceCases, variantCases } from './cases.js';
import { judgeService, type Case } from './judge-service.js';
import { outcomeOfCase, problemsOf } from './outcome.js';

test.describe.configure({ mode: 'parallel' });

/** `patience`: what a fault hides stays hidden, so little of the usual waiting shows it as well; the full proof waits. */
async function expectAsIntended(one: Case, patience = 1): Promise<void> {
  expect(problemsOf(outcomeOfCase(one, await judgeService(await one.start(), { ...one.options, patience })))).toEqual(
    [],
  );
}

const quick = (one: Case): boolean => one.waits !== true;

const judged = faultCases('own').filter(quick);
/** The first of each requirement, and a few; the full proof judges all of them. */
const isFirst = (one: Case): boolean => judged.find(({ requirement }) => requirement === one.requirement) === one;

/** What no first fault reaches: a code, a request or a way of its own. */
const further =
  /^(demo-(lead-taken|delete-carried-out)|paging-forgets-single-last|filter-lost-with-limit-twenty|crash-on-huge-limit|second-admin-cannot-create-leads|second-form-unit-creation-of-named-tenant)$/;

for (const one of judged.filter((each) => isFirst(each) || further.test(each.name)))
  test(`the fault ${one.name} is reported by ${one.requirement ?? ''}`, () => expectAsIntended(one, 0.1));

for (const one of [...variantCases([]), ...independentServiceCases().slice(1, 2)])
  test(`the conforming service "${one.name.slice(0, 80)}" has nothing red`, () => expectAsIntended(one));

const someConstants = /success|one unit|401|HTML|resets in/;
for (const one of constantCases().filter((each) => quick(each) && someConstants.test(each.name)))
  test(`a server that gives everybody the same answer (${one.name}) passes no MUST`, () => expectAsIntended(one, 0.1));

test('every requirement that can fail or warn has a fault, and every fault a requirement', async () => {
  const catalogue = (await loadPacks()).requirements;
  const broken = new Set(faults.map((fault) => fault.requirement));
  // The receiver of a webhook is not the reference service; faulty receivers prove that check beside it.
  const elsewhere = new Set(['HOOK-08']);
  const unproven = catalogue
    .filter((entry) => entry.level !== 'OBSERVE' && !broken.has(entry.id) && !elsewhere.has(entry.id))
    .map((entry) => entry.id);
  expect(unproven).toEqual([]);
  const named = [...broken, ...variantOptions.map(({ protects }) => protects)];
  expect(named.filter((id) => !catalogue.some((entry) => entry.id === id))).toEqual([]);
});
