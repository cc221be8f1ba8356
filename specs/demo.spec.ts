import {
  asObject,
  compareDemo,
  defineRequirement,
  demoListsByLimit,
  describe,
  everyItem,
  holdsItsLimit,
  invariant,
  isSameData,
  isUnit,
  itemsIn,
  judgeDemoFields,
  judgeDemoSchema,
  judgeExtraFields,
  knownUnits,
  lists,
  matcher,
  mayMean,
  paths,
  plainestReader,
  quote,
  readDemo,
  sameShape,
  shapeConflicts,
  shapeOf,
  shownIn,
  succeeded,
  toSet,
  type Exchange,
  type Match,
  type Subject,
  viewsOf,
  withoutPersonalData,
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
      const exchange = await readDemo(check, limit === null ? [] : [['limit', limit]]);
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
    const lists = [{ limit: null, exchange: await readDemo(check) }, ...(await demoListsByLimit(check))];
    for (const { limit, exchange } of lists) {
      // Which limits the demo takes is not shown, but it takes some.
      const optional = limit !== null && (![5, 10, 50].includes(limit) || mayMean(exchange, 400, 422));
      if (optional || (succeeded(exchange) && itemsIn(exchange) !== null)) continue;
      return check.blocked(`the demo list could not be read (see DEMO-01): ${describe(exchange)}`);
    }
  },
  invariants: [invariant('every list of the demo comes without {ok, data}', lists('demo'), hasNoEnvelope)],
});

export const DEMO_03 = defineRequirement({
  id: 'DEMO-03',
  level: 'MUST',
  source: '§1, §4 Demo endpoint',
  title: 'demo records are production unit records',
  passNeeds: ['API_KEY'],
  body: async ({ check }) => {
    const exchanges = [await readDemo(check), await readDemo(check, [['limit', '50']])];
    const demo = exchanges.flatMap(shownIn);
    if (exchanges.every((exchange) => itemsIn(exchange) === null))
      return check.blocked('no demo list could be read (see DEMO-01)');
    if (demo.length === 0) return check.blocked('the demo list shows no unit: seed at least one (see DEMO-01)');
    const records = demo.map((one) => one.record);
    const held: boolean[] = [];
    if (check.target.keys.API_KEY === undefined)
      return check.notApplicable('production units cannot be read to compare with', toSet('API_KEY'));
    const known = await knownUnits(check);
    const { contract } = await check.contract();
    // A declaration that allows null forbids nothing.
    if (known.items.length === 0 && contract.validateUnit(null).length === 0)
      return check.blocked(
        'production shows no unit to compare with, and no schema of one is declared: seed at least one in the tenant',
      );
    held.push(judgeDemoSchema(check, contract, demo, known.items));
    // Compare the public data with the view of a reader without access to personal data.
    const reader = await plainestReader(check, known);
    for (const conflict of shapeConflicts(shapeOf(reader.walk.items.map(withoutPersonalData)), shapeOf(records)))
      held.push(
        check.fail({ code: 'type-differs', expected: sameShape, actual: conflict, exchanges: exchanges.slice(0, 1) }),
      );
    // A demo that shows other vehicles under the same numbers has no record in common with this tenant.
    if (!isSameData(records, reader.walk.items)) return;
    const views = viewsOf(check, demo, reader);
    if (!held.includes(false)) held.push(await judgeDemoFields(check, views));
    held.push(await compareDemo(check, views));
    if (!held.includes(false)) await judgeExtraFields(check, views, known.items);
  },
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
    const judged: number[] = [];
    let shown = 0;
    for (const { limit, exchange } of await demoListsByLimit(check)) {
      const records = itemsIn(exchange);
      if (records === null || !succeeded(exchange)) continue;
      judged.push(limit);
      shown = Math.max(shown, records.length);
    }
    // The specification does not show the answer to an unusable limit; the check of all answers covers a 500.
    for (const limit of ['many', '-1']) await readDemo(check, [['limit', limit]]);
    if (judged.length === 0) return check.blocked('no demo list could be read (see DEMO-01)');
    if (shown < 2) return check.blocked(`a limit cannot be seen at work on ${shown} demo units: seed at least two`);
    if (Math.min(...judged) >= shown)
      return check.blocked(
        `no limit below the number of demo units, ${shown}, is accepted: seed more than ${Math.min(...judged)}`,
      );
  },
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
