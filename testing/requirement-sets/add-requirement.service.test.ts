import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { closing } from '../../src/loopback.test-kit.js';
import { judge } from '../../src/judge-target.js';
import { startReference } from '../../src/reference/start-reference.js';
import { readTarget } from '../../src/settings/read-target.js';
import {
  allDeals,
  asObject,
  defineRequirement,
  everyItem,
  invariant,
  listing,
  lists,
  matcher,
  quote,
} from '../../src/suite.js';
import { suitePack } from '../../src/suite-pack.js';

// The example of CONTRIBUTING.md.
export const DEAL_99 = defineRequirement({
  id: 'DEAL-99',
  level: 'SHOULD',
  since: '2027-05',
  source: 'accounting practice',
  title: 'a deal is never negative',
  needs: ['API_KEY'],
  body: ({ check }) => listing(check, allDeals),
  invariants: [
    invariant('every deal has a totalGross of zero or more', lists('deals'), ({ records }) =>
      everyItem(
        matcher(
          'negative-total',
          'a totalGross of zero or more',
          (deal) => !(Number(asObject(deal)?.['totalGross']) < 0),
          quote,
        ),
      )(records ?? []),
    ),
  ],
});

test('the requirement in CONTRIBUTING.md is the one that is judged here', () => {
  const example = /export const DEAL_99[^]*?\n\}\);\n/;
  const [text = ''] = example.exec(readFileSync(new URL(import.meta.url), 'utf8')) ?? [];
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8').replace(/^ {3}/gm, '');
  expect(example.exec(page)?.[0]).toBe(text);
});

for (const [verdict, gross] of [
  ['pass', 0],
  ['warn', -1],
] as const)
  test(`a requirement is judged by its value alone: ${verdict} where a deal has a gross of ${gross}`, async () => {
    const change = ({ body }: { body: unknown }): void => {
      for (const deal of (body as { data?: { items?: object[] } }).data?.items ?? [])
        if ('totalGross' in deal) Object.assign(deal, { totalGross: gross });
    };
    await using reference = closing(await startReference({ change }));
    const requirements = [...suitePack.requirements, DEAL_99];
    const { report } = await judge(
      { target: readTarget(reference.settings), settings: reference.settings, register: null },
      { catalogue: { sections: suitePack.sections, requirements }, selected: [DEAL_99] },
    );
    expect(report.requirements).toMatchObject([{ id: 'DEAL-99', section: 'DEAL', verdict, upcoming: '2027-05' }]);
  });
