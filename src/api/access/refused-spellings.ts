import { describe, type Check } from '../../run/check.js';
import { asObject } from '../../service/json.js';
import { dealsIn } from '../deals/deals.js';
import { dataOf } from '../../service/envelope.js';
import { paths } from '../../service/paths.js';
import { unitsIfReadable } from '../units/known-units.js';
import { idOf } from '../../service/list.js';

/** Ways to write a path that a router may take for the plain one, and what guards the plain one may not. */
const spellings = (path: string): string[] => [
  `${path}/`,
  `/${path}`,
  `${path};a=b`,
  path.replace(/\/(.)(?=[^/]*$)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  path.toUpperCase(),
];

/** Records that need a key are shown to nobody without one, however the path is written. */
export async function judgeRefusedSpellings(check: Check): Promise<void> {
  const known = new Set((await unitsIfReadable(check)).map(idOf).filter((id) => id !== null));
  for (const id of dealsIn(dataOf(await check.send({ path: paths.deals }))).map(idOf)) if (id !== null) known.add(id);
  const isKnown = (record: unknown): boolean =>
    known.has(idOf(record) ?? '') || asObject(record)?.['phone'] !== undefined;
  await check.each([paths.units, paths.deals, paths.leads], async (path) => {
    for (const spelled of spellings(path)) {
      const exchange = await check.send({ path: spelled, as: null, surface: 'other' });
      if (dealsIn(dataOf(exchange)).some(isKnown))
        check.fail({
          expected: `${spelled} to be refused with a caller without credentials`,
          actual: `${describe(exchange)} shows records`,
          exchanges: [exchange],
        });
    }
  });
}
