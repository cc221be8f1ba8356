import {
  areAddresses,
  asObject,
  type Check,
  defineRequirement,
  demoApi,
  describe,
  everyItem,
  type Exchange,
  type FieldDifference,
  holdsItsLimit,
  invariant,
  isUnit,
  itemsIn,
  knownUnits,
  listing,
  lists,
  type Match,
  matcher,
  mayMean,
  mayOmitForPrivacy,
  pageLimits,
  paths,
  quote,
  readPage,
  relation,
  row,
  type Subject,
  succeeded,
  toSet,
  type View,
  type Walk,
  walkOf,
  type WalkOptions,
  wholeUnits,
  writeDemo,
} from '../src/suite.js';

const isDemoList = matcher<Exchange>(
  'no-list',
  '200 with a list of units, no key sent',
  (exchange) => exchange.response?.status === 200 && itemsIn(exchange) !== null,
  (exchange) => `${describe(exchange)}: ${quote(exchange.response?.text)}`,
);

const needsNoToken = matcher<Exchange>(
  'token-needed',
  'units of the sandbox without a token',
  ({ response }) => response?.status !== 401,
  describe,
);

const namesIn = ({ response }: Exchange): string[] => Object.keys(asObject(response?.json) ?? {});

/** Records without `{ok, data}`: a member `data` alone is against a recommendation only. */
function hasNoEnvelope({ exchange }: Subject): Match {
  const isMarked = typeof asObject(exchange.response?.json)?.['ok'] === 'boolean';
  const names = namesIn(exchange);
  return {
    pass: !isMarked && !names.includes('data'),
    code: 'enveloped',
    expected: 'unit records without {ok, data}',
    actual: `an object with ${names.slice(0, 6).join(', ')}`,
    part: { value: exchange.response?.json, pointer: isMarked ? '/ok' : '/data' },
    soft: !isMarked && !names.includes('ok'),
  };
}

export const DEMO_01 = defineRequirement({
  id: 'DEMO-01',
  level: 'MUST',
  source: '§4 Demo endpoint, §5.4',
  title: 'the demo list answers 200 without credentials',
  body: async ({ check }) => {
    for (const limit of [null, '3', '10', '50']) {
      const exchange = await demoApi.read(check, limit === null ? [] : [['limit', limit]]);
      // Which limits the demo takes is not shown, but it takes some.
      const mayRefuse = limit !== null && limit !== '50';
      if (mayRefuse && mayMean(exchange, 400, 422)) continue;
      if (check.expect(exchange, isDemoList) && limit !== null) break;
    }
    const { sandboxUrl } = check.target;
    if (sandboxUrl === null) return;
    const sandbox = await check.send({ base: sandboxUrl, path: paths.units, as: null, surface: 'other' });
    check.expect(sandbox, needsNoToken);
  },
});

export const DEMO_02 = defineRequirement({
  id: 'DEMO-02',
  level: 'MUST',
  source: '§1, §4 Demo endpoint',
  title: 'the demo list comes without the envelope',
  body: async ({ check }) => {
    const lists = [{ limit: null, exchange: await demoApi.read(check) }, ...(await demoApi.listsByLimit(check))];
    for (const { limit, exchange } of lists) {
      // Which limits the demo takes is not shown, but it takes some.
      const optional = limit !== null && (![5, 10, 50].includes(limit) || mayMean(exchange, 400, 422));
      if (optional || (succeeded(exchange) && itemsIn(exchange) !== null)) continue;
      return check.blocked(`the demo list could not be read (see DEMO-01): ${describe(exchange)}`);
    }
  },
  invariants: [invariant('every list of the demo comes without {ok, data}', lists('demo'), hasNoEnvelope)],
});

const demoList = { path: paths.demoUnits, surface: 'demo', limit: 50, maxPages: 1 } as const;
const demo: View = { record: 'unit', where: 'in the demo', list: demoList };

const fairReader = { ...wholeUnits, as: 'API_KEY_READ_INVENTORY' } as const;
const hasFairReader = ({ target }: Check): boolean => target.keys[fairReader.as] !== undefined;
/** Production as the key without access to personal data reads it, where there is one; full access may be shown more than the demo has to show. */
const asDemoReader = (check: Check): WalkOptions => (hasFairReader(check) ? fairReader : wholeUnits);

const production: View = { record: 'unit', where: 'in the production list', list: asDemoReader };
const anywhere: View = {
  record: 'unit',
  where: 'in production, in the list or by itself',
  list: wholeUnits,
  single: (id) => ({ path: paths.unit(id) }),
};

/** The demo may leave out and shorten data of people, show fewer pictures, and name a record by its address in the demo. */
const mayDiffer = (one: FieldDifference): boolean =>
  one.lengthOnly || areAddresses(one) || mayOmitForPrivacy(one.pointer, one.pair[0].record, one.right);

/** A row of what holds of demo records beside those of production. */
const besideProduction = (says: string, judge: typeof demoApi.meetsSchema | typeof demoApi.hasUnitShape) =>
  row(says, async (check, shown: Walk) => judge(check, shown, await listing(check, asDemoReader(check))));

/** The demo's list without a limit and with one; blocks where it shows no unit. */
async function demoLists(check: Check): Promise<Walk> {
  const { limit: _, ...unlimited } = demoList;
  const shown = walkOf([await readPage(check, unlimited), await readPage(check, demoList)]);
  if (shown.items.length > 0) return shown;
  const found = shown.pages.some(({ items }) => items !== null)
    ? 'the demo list shows no unit'
    : 'no demo list could be read';
  return check.blocked(`${found}: seed at least one unit (see DEMO-01)`);
}

export const DEMO_03 = defineRequirement({
  id: 'DEMO-03',
  level: 'MUST',
  source: '§1, §4 Demo endpoint',
  title: 'demo records are production unit records',
  passNeeds: ['API_KEY'],
  body: async ({ check }) => {
    const shown = await demoLists(check);
    if (check.target.keys.API_KEY === undefined)
      return check.notApplicable('production units cannot be read to compare with', toSet('API_KEY'));
    const known = await knownUnits(check);
    // A declaration that allows null forbids nothing.
    if (known.items.length === 0 && (await check.contract()).contract.validateUnit(null).length === 0)
      return check.blocked(
        'production shows no unit, and no schema of one is declared: seed at least one in the tenant',
      );
    return shown;
  },
  rows: [
    besideProduction('the schema declared for production units holds for demo units', demoApi.meetsSchema),
    besideProduction('fields of demo units have the types that they have in production', demoApi.hasUnitShape),
    relation(production, 'fields', demo, {
      isComparable: demoApi.isSameData,
      grade: (check, one) => (!hasFairReader(check) || mayDiffer(one) ? 'open' : 'fail'),
    }),
    relation(production, 'alike', demo, {
      isComparable: demoApi.isSameData,
      grade: (_, one) => (mayDiffer(one) ? 'open' : 'fail'),
    }),
    relation(demo, 'fields', anywhere, { isComparable: demoApi.isSameData }),
  ],
  invariants: [
    invariant('every unit of the demo has a string id and a string status', lists('demo'), ({ records }) =>
      everyItem(isUnit)(records ?? []),
    ),
  ],
});

export const DEMO_04 = defineRequirement({
  id: 'DEMO-04',
  level: 'MUST',
  source: '§4 Demo endpoint',
  title: 'the demo list holds at most limit units',
  body: async ({ check }) => {
    // The specification does not show the answer to an unusable limit; the check of all answers covers a 500.
    for (const limit of ['many', '-1']) await demoApi.read(check, [['limit', limit]]);
    return (await demoApi.listsByLimit(check)).flatMap(({ limit, exchange }) => {
      const records = succeeded(exchange) ? itemsIn(exchange) : null;
      return records === null ? [] : [{ limit, shown: records.length }];
    });
  },
  rows: [pageLimits.atWork('demo units')],
  invariants: [invariant('every list of the demo holds at most as many as its limit', lists('demo'), holdsItsLimit)],
});

export const DEMO_05 = defineRequirement({
  id: 'DEMO-05',
  level: 'MUST',
  source: '§1, §4 Demo endpoint (read-only)',
  title: 'nothing can be written through the demo API',
  writes: true,
  body: ({ check }) => writeDemo(check),
});
