import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { RequirementResult } from '../../src/requirement/types.js';
import { startIndependentService } from '../independent-service/index.js';
import type { RawSettings } from '../../src/settings/setting-table.js';
import { judgeService, type Service } from './judge-service.js';
import { startReferenceService, withSettings } from './reference-service.js';
import { secondKey, startSparse } from './sparse-service.test-kit.js';
import { scratch } from '../../src/folder.test-kit.js';

test.describe.configure({ mode: 'parallel' });

type IndependentServiceOptions = NonNullable<Parameters<typeof startIndependentService>[0]>;
type Results = ReadonlyMap<string, RequirementResult>;

/** A tenant of the independent service that has nothing, and in which no unit can be made. */
const empty = {
  units: { count: 0, otherCount: 0 },
  writes: { form: 'patch', one: [] },
  deals: { count: 0 },
  leadRules: { vehicle: 'any' },
} satisfies IndependentServiceOptions['change'];

/** The independent service, less the settings named. */
async function independentService(
  options: IndependentServiceOptions,
  without = /^$/,
  more: RawSettings = {},
): Promise<Service> {
  const service = await startIndependentService({ flavour: 'plain', ...options });
  const settings = Object.entries(service.settings).filter(([name]) => !without.test(name));
  return { ...service, settings: { ...Object.fromEntries(settings), ...more } };
}

async function judged(service: Promise<Service>, sections: readonly string[]): Promise<Results> {
  const { results } = await judgeService(await service, { seed: 1, depth: 'gate', sections, patience: 0.1 });
  return new Map(results.map((result) => [result.id, result]));
}

/** As `judged`, of a service that breaks nothing. */
async function judgedHonest(service: Promise<Service>, sections: readonly string[]): Promise<Results> {
  const results = await judged(service, sections);
  expect([...results.values()].filter(({ verdict }) => verdict === 'fail' || verdict === 'error')).toEqual([]);
  return results;
}

/** Expects that each of these was left unjudged, for a reason that says how to change that. */
function expectUnjudged(results: Results, ids: readonly string[], fix: RegExp): void {
  for (const id of ids) {
    const { verdict, reason } = results.get(id) ?? { verdict: 'absent', reason: '' };
    expect(`${id} ${verdict}`).toMatch(/ (blocked|not-applicable)$/);
    expect(reason, id).toMatch(fix);
  }
}

function verdictsOf(results: Results, ids: readonly string[]): string[] {
  return ids.map((id) => `${id} ${results.get(id)?.verdict ?? 'absent'}`);
}

test.setTimeout(120_000);

const readsUnits = ['UNIT-02', 'UNIT-03', 'UNIT-04', 'UNIT-05', 'UNIT-06', 'UNIT-10'];
const needsSomething = [...readsUnits, 'DEMO-03', 'DEMO-04', 'AUTH-02', 'AUTH-05', 'VER-01', 'DEAL-02'];
const light = ['UNIT', 'DEAL', 'DEMO', 'AUTH', 'VER', 'PLAN'];

test('an empty tenant breaks nothing, and nothing that needs a record passes on it', async () => {
  const results = await judgedHonest(independentService({ change: empty }), light);
  expectUnjudged(results, [...needsSomething, 'DEMO-05'], /seed/);
  // Writes tell what an empty list cannot.
  expect(verdictsOf(results, ['AUTH-03', 'AUTH-04'])).toEqual(['AUTH-03 pass', 'AUTH-04 pass']);
});

test('an empty tenant in which units can be made is judged by units that are made there', async () => {
  const change = { units: { count: 0, otherCount: 0 } };
  const results = await judgedHonest(independentService({ change }), ['UNIT']);
  expect(verdictsOf(results, readsUnits)).toEqual(readsUnits.map((id) => `${id} pass`));
});

test('an empty tenant that may only be read tells less still', async () => {
  const results = await judgedHonest(independentService({ change: empty }, /^$/, { READ_ONLY: '1' }), light);
  expectUnjudged(results, needsSomething, /seed/);
  expectUnjudged(results, ['AUTH-04'], /cannot be distinguished/);
});

test('one unit is enough for what is about one, and too little for pages and limits', async () => {
  const change = { ...empty, units: { ...empty.units, count: 1, otherCount: 1 }, deals: { count: 1 } };
  const results = await judgedHonest(independentService({ change }), light);
  expectUnjudged(results, ['UNIT-04', 'UNIT-05', 'DEMO-04'], /seed at least two/);
  const others = [...needsSomething, 'DEMO-05'].filter((id) => !/UNIT-04|UNIT-05|DEMO-04/.test(id));
  expect(verdictsOf(results, others)).toEqual(others.map((id) => `${id} pass`));
});

test('two units are enough for every check of units, whichever statuses they have', async () => {
  const results = await judgedHonest(
    independentService({ change: { ...empty, units: { ...empty.units, count: 2 } } }),
    ['UNIT', 'DEMO'],
  );
  const ids = [...readsUnits, 'DEMO-03', 'DEMO-04', 'DEMO-05'];
  expect(verdictsOf(results, ids)).toEqual(ids.map((id) => `${id} pass`));
});

test('a filter that has nothing to leave out has not been seen at work', async () => {
  const change = { ...empty, units: { ...empty.units, count: 2 } };
  expectUnjudged(
    await judgedHonest(independentService({ breach: 'filter-ignored', change }), ['UNIT']),
    ['UNIT-03'],
    /seed one of another status/,
  );
});

test('an empty list that is shown to every key does not show that scopes hold', async () => {
  const service = independentService({ breach: 'scope-calls-reads-units', change: empty });
  expectUnjudged(await judgedHonest(service, ['AUTH']), ['AUTH-03'], /seed at least one unit/);
});

test('without keys, tenants and secrets, what needs them is left out by the name of the setting', async () => {
  const without = /^(OTHER_|API_KEY_|API_BASE_URL|TENANT|SIGNING_SECRET)/;
  const results = await judgedHonest(independentService({}, without), ['UNIT', 'AUTH', 'HOOK']);
  const hooks = [...results.keys()].filter((id) => id.startsWith('HOOK'));
  expectUnjudged(results, ['AUTH-02', 'AUTH-03', 'AUTH-04', 'UNIT-09', 'UNIT-10', ...hooks], /\bset [A-Z]/);
  const alone = await judgedHonest(independentService({}, /^OTHER_/), ['AUTH', 'HOOK']);
  expectUnjudged(alone, ['AUTH-04', 'HOOK-05'], /set OTHER_/);
});

const car = (id: number): Record<string, unknown> => ({ id: `u${id}`, status: id % 3 === 2 ? 'sold' : 'available' });
const cars = [0, 1, 2, 3].map(car);
const bare = { openapi: '3.1.0', info: { title: 'sparse', version: '1' }, paths: {} };
const described = { responses: { '200': { description: 'fine' } } };

test('demo records that nothing is known to compare with are not yet production records', async () => {
  expectUnjudged(await judgedHonest(startSparse({ demo: cars }), ['DEMO']), ['DEMO-03'], /seed/);
  const results = await judgedHonest(startSparse({ demo: cars, units: cars }), ['DEMO']);
  expect(verdictsOf(results, ['DEMO-03', 'DEMO-04'])).toEqual(['DEMO-03 pass', 'DEMO-04 pass']);
});

test('a limit that never cut a list, and a cursor that was never followed, were not seen at work', async () => {
  const three = cars.slice(0, 3);
  const results = await judgedHonest(startSparse({ demo: three, units: three, leastLimit: 3 }), ['DEMO', 'UNIT']);
  expectUnjudged(results, ['UNIT-04', 'UNIT-05', 'DEMO-04'], /seed more/);
  expect(verdictsOf(results, ['UNIT-02', 'DEMO-03'])).toEqual(['UNIT-02 pass', 'DEMO-03 pass']);
});

test('a service that takes no limit below ten is walked, and its cursor found, all the same', async () => {
  const twelve = Array.from({ length: 4 }, (_, round) =>
    cars.map((car) => ({ ...car, id: `${String(car['id'])}-${round}` })),
  ).flat();
  const service = startSparse({ demo: twelve, units: twelve, leastLimit: 10 }, { CURSOR_PARAM: '' });
  const results = await judgedHonest(service, ['DEMO', 'UNIT', 'VER']);
  const ids = ['UNIT-03', 'UNIT-04', 'UNIT-05', 'DEMO-01', 'DEMO-02', 'DEMO-04'];
  expect(verdictsOf(results, ids)).toEqual(ids.map((id) => `${id} pass`));
});

test('a CURSOR_PARAM that the document does not declare blocks what needs it', async () => {
  const service = startReferenceService({}).then((one) => withSettings(one, { CURSOR_PARAM: 'page_marker' }));
  expectUnjudged(await judged(service, ['UNIT']), ['UNIT-05'], /declares "\w+" for GET .*: correct or unset it/);
});

test('units that are gone before they can be read by their ids were not compared', async () => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const document = { ...bare, paths: { '/api/v1/units/{id}': { get: { parameters, ...described } } } };
  const results = await judged(startSparse({ units: cars, document, fleeting: true }), ['UNIT']);
  expectUnjudged(results, ['UNIT-06'], /try again/);
});

test('a key whose scope is all that is offered shows nothing of what it may not', async () => {
  const settings = { API_KEY_READ_INVENTORY: secondKey, READ_ONLY: '1' };
  const results = await judged(startSparse({ units: cars, deals: false }, settings), ['AUTH']);
  expectUnjudged(results, ['AUTH-03'], /set keys of other scopes/);
});

test('a document without references, schemas and headers is not praised for them', async () => {
  const document = { ...bare, paths: { '/api/v1/units': { get: described } } };
  const results = await judged(startSparse({ units: cars, document }), ['DOC', 'ENV', 'UNIT', 'LEAD']);
  expectUnjudged(
    results,
    ['DOC-03', 'DOC-05', 'ENV-04', 'ENV-08', 'UNIT-11', 'LEAD-04'],
    /document (holds|declares) no|no document declares/,
  );
  expectUnjudged(results, ['DOC-10'], /set CONTRACT/);
});

test('a pinned contract without an operation promises nothing that could be kept', async () => {
  using place = scratch();
  const file = join(place.folder, 'pinned.json');
  await writeFile(file, JSON.stringify(bare));
  const results = await judged(startSparse({ document: bare }, { CONTRACT: file }), ['DOC']);
  expectUnjudged(results, ['DOC-10'], /set CONTRACT/);
});

test('a declared lead that forbids nothing but by formats leaves nothing to be refused', async () => {
  const schema = { properties: { vehicleId: { format: 'uri-reference' } } };
  const requestBody = { content: { 'application/json': { schema } } };
  const document = { ...bare, paths: { '/api/v1/leads': { post: { requestBody, ...described } } } };
  expectUnjudged(await judgedHonest(startSparse({ units: cars, document }), ['LEAD']), ['LEAD-04'], /forbids nothing/);
});

test('a service that never answers 2xx has shown no success', async () => {
  const results = await judged(startSparse({ closed: true }), ['ENV']);
  expectUnjudged(results, ['ENV-02'], /is API_KEY a full-access key/);
});

test('deals that have no GET may say so before they look at the scope', async () => {
  const change = { deals: { method: 'POST', key: 'items', count: 3 } } as const;
  const results = await judgedHonest(independentService({ change }), ['AUTH']);
  const said = (results.get('AUTH-06')?.findings ?? []).map(({ expected }) => expected);
  expect(said.filter((expected) => expected.includes('outside its scope'))).toEqual([]);
});

test('a required parameter is sent with a value of the document; where none is known, what needs it is blocked', async () => {
  const ledger = { in: 'query', name: 'ledger', required: true, schema: { type: 'string' } };
  for (const [parameter, verdict] of [
    [ledger, 'blocked'],
    [{ ...ledger, example: 'north' }, 'pass'],
  ] as const) {
    const document = { ...bare, paths: { '/api/v1/deals': { get: { parameters: [parameter], ...described } } } };
    const results = await judgedHonest(startSparse({ units: cars, document, ledger: 'north' }), ['DEAL']);
    expect(results.get('DEAL-01')?.verdict).toBe(verdict);
    if (verdict === 'blocked') expectUnjudged(results, ['DEAL-01'], /query parameter ledger.*declare an example/);
  }
});

test('a list without any cursor warns, as does a planned path that answers without the envelope', async () => {
  const variant = { 'last-cursor': 'never', 'planned-answer': 'text' };
  const results = await judgedHonest(startReferenceService({ variant }), ['UNIT', 'PLAN']);
  expect(verdictsOf(results, ['UNIT-05', 'PLAN-02', 'UNIT-11'])).toEqual([
    'UNIT-05 warn',
    'PLAN-02 warn',
    'UNIT-11 pass',
  ]);
  const usual = await judgedHonest(startReferenceService({}), ['UNIT', 'PLAN']);
  expect(verdictsOf(usual, ['UNIT-05', 'PLAN-02'])).toEqual(['UNIT-05 pass', 'PLAN-02 pass']);
});
