import { expect, test } from '@playwright/test';
import type { Depth } from '../../run/run.js';
import { leadIds, runLeads, startTiny, usualSchema, type TinyOptions } from '../test-kit.js';

type Lead = Record<string, unknown>;
const seeds = Array.from({ length: 6 }, (_, index) => index + 1);
const nameOf = (lead: Lead): string => String(lead['name']);

/** Verdicts and reasons of the ids over a fresh service. */
async function verdicts(
  options: TinyOptions,
  ids: readonly string[],
  seed = 1,
  depth: Depth = 'gate',
): Promise<Record<string, string>> {
  await using tiny = await startTiny(options);
  const { results } = await runLeads(tiny.baseUrl, ids, { seed, depth });
  return Object.fromEntries(
    ids.map((id) => [
      id,
      `${results.get(id)?.verdict ?? ''}${results.get(id)?.verdict === 'pass' ? '' : `: ${results.get(id)?.reason ?? ''}`}`,
    ]),
  );
}

const { properties, ...closedRest } = usualSchema as {
  properties: Record<string, unknown>;
  additionalProperties: false;
  required: string[];
};
const openSchema = { ...closedRest, additionalProperties: true, properties };

const conforming: Readonly<Record<string, TinyOptions>> = {
  'the usual one': {},
  'no document': { schema: null },
  'a vacuous schema': { schema: {} },
  'reads declared': { reads: true },
  'a nested lead beside a vehicle with a name': { shape: 'nested', reads: true },
  'only an id shown': { shape: 'id only', status: 200, refusal: 400 },
  'unknown fields dropped': {
    schema: openSchema,
    stores: (lead) => Object.fromEntries(Object.entries(lead).filter(([name]) => name !== 'undeclaredField')),
  },
  'more fields required': {
    schema: {
      ...openSchema,
      required: [...closedRest.required, 'consent'],
      properties: { ...properties, consent: { const: true } },
    },
  },
  'phones of one country': {
    schema: {
      ...openSchema,
      properties: { ...properties, phone: { type: 'string', pattern: '^\\+49[1-9]\\d{6,11}$' } },
    },
  },
  'names by a pattern': {
    schema: {
      ...openSchema,
      properties: { ...properties, name: { type: 'string', pattern: "^[\\p{L}\\p{M} .'’-]{2,60}$" } },
    },
  },
  'long names refused where no bound is declared': {
    schema: null,
    refuses: (lead) => nameOf(lead).length > 150 || nameOf(lead).trim() === '',
  },
  'origins from a hidden list': {
    schema: null,
    refuses: (lead) => lead['source'] !== undefined && lead['source'] !== 'showroom',
  },
  'an open field refused': {
    schema: openSchema,
    refuses: (lead) => 'undeclaredField' in lead || nameOf(lead).trim() === '',
  },
  'small bodies only': { maxBytes: 10_000 },
  'large bodies cut off with 413': { closesAt: 100_000 },
  'large bodies answered with 413 and a reset': { closesAt: 100_000, resets: true },
};

for (const [title, options] of Object.entries(conforming)) {
  test(`nothing is held against a conforming service: ${title}`, async () => {
    const hostile = options.maxBytes !== undefined || options.closesAt !== undefined || title === 'the usual one';
    const ids = leadIds.filter((id) => hostile || id !== 'LEAD-05');
    const found = await verdicts(options, ids);
    for (const [id, verdict] of Object.entries(found)) expect(`${id} ${verdict}`).not.toMatch(/fail|error|blocked/);
  });
}

test('the whole stays within the budgets', async () => {
  await using tiny = await startTiny({ reads: true });
  expect((await runLeads(tiny.baseUrl)).requests).toBeLessThanOrEqual(295);
  expect((await runLeads(tiny.baseUrl, leadIds, { depth: 'certify' })).requests).toBeLessThanOrEqual(1000);
});

type Raw = NonNullable<TinyOptions['raw']>;

/** A service that answers some bodies, whatever they are sent as, in a way that it should not. */
const failsOn = (
  when: (...given: Parameters<Raw>) => boolean,
  how: ReturnType<Raw> = { status: 500, body: '{}' },
): readonly [string, TinyOptions] => ['LEAD-05', { raw: (...given) => (when(...given) ? how : undefined) }];

const faults: Readonly<Record<string, readonly [id: string, options: TinyOptions]>> = {
  'crash on an empty string': ['LEAD-04', { crashesOn: (lead) => lead['name'] === '' }],
  'crash on an empty string without a document': [
    'LEAD-03',
    { schema: null, crashesOn: (lead) => lead['name'] === '' },
  ],
  'refusal of short phones': ['LEAD-03', { refuses: (lead) => String(lead['phone']).length < 12 }],
  'a source demanded by the document': [
    'LEAD-02',
    { schema: { ...openSchema, required: [...closedRest.required, 'source'] } },
  ],
  'a lead without source refused where no document speaks of it': [
    'LEAD-02',
    { schema: null, refuses: (lead) => lead['source'] === undefined },
  ],
  'a stack trace for no JSON': failsOn((bytes) => !bytes.toString().startsWith('{'), {
    status: 500,
    body: '{"ok":false,"error":{}}',
  }),
};

for (const [title, [id, options]] of Object.entries(faults))
  test(`found: ${title}`, async () => {
    expect((await verdicts(options, [id], 7))[id]).toMatch(/^fail/);
  });

test('a fault that only random leads meet is found and replayed by its path', async () => {
  const crashesOn = (lead: Lead): boolean => /\p{Script=Georgian}/u.test(nameOf(lead));
  let found = 0;
  for (const seed of seeds) {
    await using tiny = await startTiny({ crashesOn });
    const { results } = await runLeads(tiny.baseUrl, ['LEAD-03'], { seed });
    const result = results.get('LEAD-03');
    if (result?.verdict === 'fail') {
      found += 1;
      const path = /--path (\S+)/.exec(result.findings[0]?.replay ?? '')?.[1] ?? '';
      expect(path).toMatch(/^\d+(:\d+)*$/);
      if (seed > 4) continue;
      const before = tiny.requests();
      const again = await runLeads(tiny.baseUrl, ['LEAD-03'], { seed, path });
      expect(again.results.get('LEAD-03')?.verdict).toBe('fail');
      // Two of them find out whether a vehicle takes more than one lead, two whether a phone does, three how a second lead of a phone or a name is refused.
      // A lead that is refused is sent twice again.
      expect(tiny.requests() - before).toBeLessThanOrEqual(16);
    }
  }
  expect(found).toBeGreaterThanOrEqual(seeds.length - 1);
});

test('the smallest size that a service falls over is reported', async () => {
  const raw: TinyOptions['raw'] = (bytes) =>
    bytes.includes('['.repeat(2_000)) ? { status: 500, body: '{}' } : undefined;
  await using tiny = await startTiny({ raw });
  const { results } = await runLeads(tiny.baseUrl, ['LEAD-05']);
  const size = /open nesting, 10000 deep, cut to (\d+)/.exec(JSON.stringify(results.get('LEAD-05')?.findings))?.[1];
  expect(Number(size)).toBeGreaterThanOrEqual(2_000);
  expect(Number(size)).toBeLessThan(2_100);
});
