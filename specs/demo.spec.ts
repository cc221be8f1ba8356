import { isSuccess, mayMean } from '../src/api/envelope.js';
import type { Exchange } from '../src/http/exchange.js';
import { demoRecords, limitedDemo, readDemo } from '../src/api/demo.js';
import { judgeDemoLead, marked, watchProduction } from '../src/api/demo-writes.js';
import { asObject, quote, sameJson } from '../src/api/json.js';
import { judgeRecordedLimits, recordedLists } from '../src/api/recorded-lists.js';
import { paths } from '../src/api/paths.js';
import { shapeConflicts, shapeOf } from '../src/api/record-shape.js';
import { judgeDemoFields, judgeExtraFields } from '../src/api/demo-fields.js';
import { compareDemo, isSameData } from '../src/api/compare-demo.js';
import type { Reader } from '../src/api/compare-demo.js';
import { idOf, knownUnits, walk } from '../src/api/units.js';
import { personalData } from '../src/contract/personal-data.js';
import { namesPersonAt } from '../src/contract/withheld.js';
import { judgeUnit } from '../src/contract/judge-records.js';
import { succeeded } from '../src/http/exchange.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

/** A record less the fields that may hold data of a person. */
function withoutPersonalData(record: unknown): unknown {
  const hidden = new Set(personalData(record).map((hit) => hit.pointer.split('/')[1]));
  return Object.fromEntries(
    Object.entries(asObject(record) ?? {}).filter(([name]) => !hidden.has(name) && !namesPersonAt(`/${name}`)),
  );
}

/** A demo record with the people that it may leave out filled in from a record of production. */
function withPeopleOf(production: unknown, record: unknown): unknown {
  const people = Object.entries(asObject(production) ?? {}).filter(([name]) => namesPersonAt(`/${name}`));
  return { ...asObject(record), ...Object.fromEntries(people) };
}

test(
  'the demo list answers 200 without credentials',
  requirement('DEMO-01', 'MUST', '§4 Demo endpoint, §5.4'),
  async ({ check }) => {
    for (const limit of [null, '3', '10', '50']) {
      const query = limit === null ? [] : [['limit', limit] as const];
      const exchange = await check.send({ path: paths.demoUnits, surface: 'demo', query });
      const succeeds = exchange.response?.status === 200 && demoRecords(exchange.response.json) !== null;
      if (succeeds && limit !== null) return;
      // Which limits the demo takes is not shown, but it takes some.
      const refusesLimit = limit !== null && limit !== '50' && mayMean(exchange, 400, 422);
      if (!succeeds && !refusesLimit) {
        check.breach({
          expected: '200 with a list of units, no key sent',
          actual: `${describe(exchange)}: ${quote(exchange.response?.text ?? exchange.failure?.message)}`,
          exchanges: [exchange],
        });
      }
    }
  },
);

test(
  'the demo list comes without the envelope',
  requirement('DEMO-02', 'MUST', '§1, §4 Demo endpoint'),
  async ({ check }) => {
    const lists = [{ limit: null, exchange: await readDemo(check) }, ...(await limitedDemo(check))];
    for (const { limit, exchange } of lists) {
      // Which limits the demo takes is not shown, but it takes some.
      const optional = limit !== null && (![5, 10, 50].includes(limit) || mayMean(exchange, 400, 422));
      if (optional || (succeeded(exchange) && demoRecords(exchange.response?.json) !== null)) continue;
      return check.blocked(`the demo list could not be read (see DEMO-01): ${describe(exchange)}`);
    }
    for (const { exchange } of await recordedLists(check, 'demo')) {
      const body = asObject(exchange.response?.json);
      if (body !== null && (typeof body['ok'] === 'boolean' || ('ok' in body && 'data' in body))) {
        check.breach({
          expected: 'unit records without {ok, data}',
          actual: `${describe(exchange)}: an object with ${Object.keys(body).slice(0, 6).join(', ')}`,
          exchanges: [exchange],
        });
      } else if (body !== null && 'data' in body) {
        check.caution({
          expected: 'unit records without an envelope',
          actual: 'an object whose records are under data',
          exchanges: [exchange],
        });
      }
      if (check.breaches.length >= 5) return;
    }
  },
);

test(
  'demo records are production unit records',
  requirement('DEMO-03', 'MUST', '§1, §4 Demo endpoint'),
  async ({ check }) => {
    const exchanges = [await readDemo(check), await readDemo(check, [['limit', '50']])];
    const demo = exchanges.flatMap((exchange) =>
      (demoRecords(exchange.response?.json) ?? []).map((record) => ({ record, exchange })),
    );
    if (demo.length === 0) return check.blocked('the demo list shows no unit: seed at least one (see DEMO-01)');
    for (const { record, exchange } of demo) {
      for (const fault of judgeUnit(record).slice(0, 1)) check.breach({ ...fault, exchanges: [exchange] });
    }
    if (check.target.keys.API_KEY === undefined) {
      if (check.breaches.length === 0)
        return check.notApplicable('production units cannot be read to compare with: set API_KEY');
      return;
    }
    const known = await knownUnits(check);
    const { items } = known;
    const { contract } = await check.contract();
    // A declaration that allows null forbids nothing.
    if (items.length === 0 && contract.validateUnit(null).length === 0)
      return check.blocked(
        'production shows no unit to compare with, and no schema of one is declared: seed at least one in the tenant',
      );
    for (const { record, exchange } of demo) {
      const errors = contract.validateUnit(record);
      if (errors.length === 0 || contract.validateUnit(withPeopleOf(items[0], record)).length === 0) continue;
      const production = items.find((item) => contract.validateUnit(item).length > 0);
      if (production === undefined)
        check.breach({
          expected: 'the schema declared for production units to hold',
          actual: errors[0] ?? '',
          exchanges: [exchange],
        });
      break;
    }
    // What everybody may see is compared with what a reader without access to personal data sees.
    const plain =
      check.target.keys.API_KEY_READ_INVENTORY === undefined
        ? null
        : await walk(check, { as: 'API_KEY_READ_INVENTORY', limit: 50, maxPages: 12 });
    const reader: Reader =
      plain !== null && plain.items.length > 0
        ? { as: 'API_KEY_READ_INVENTORY', walk: plain }
        : { as: 'API_KEY', walk: known };
    const seen = shapeOf(reader.walk.items.map(withoutPersonalData));
    for (const conflict of shapeConflicts(seen, shapeOf(demo.map((one) => one.record)))) {
      check.breach({
        expected: 'demo records of the same shape as production records',
        actual: conflict,
        exchanges: exchanges.slice(0, 1),
      });
    }
    // A demo that shows other vehicles under the same numbers has no record in common with this tenant.
    if (
      !isSameData(
        demo.map((one) => one.record),
        reader.walk.items,
      )
    )
      return;
    // Full access may be shown more than the demo has to show.
    if (check.breaches.length === 0 && reader.as === 'API_KEY_READ_INVENTORY')
      await judgeDemoFields(check, demo, reader);
    await compareDemo(check, demo, reader);
    if (check.breaches.length === 0 && reader.as === 'API_KEY_READ_INVENTORY')
      await judgeExtraFields(check, demo, reader);
  },
);

test(
  'the demo list holds at most limit units',
  requirement('DEMO-04', 'MUST', '§4 Demo endpoint'),
  async ({ check }) => {
    const judged: number[] = [];
    let shown = 0;
    for (const { limit, exchange } of await limitedDemo(check)) {
      const records = demoRecords(exchange.response?.json);
      if (records === null || !succeeded(exchange)) continue;
      judged.push(limit);
      shown = Math.max(shown, records.length);
      if (records.length > limit) {
        check.breach({ expected: `at most ${limit} units`, actual: `${records.length} units`, exchanges: [exchange] });
      }
    }
    // What an unusable limit is answered with is not shown, and judged where every answer below 500 is.
    for (const limit of ['many', '-1']) await readDemo(check, [['limit', limit]]);
    if (check.breaches.length === 0) await judgeRecordedLimits(check, 'demo');
    if (check.breaches.length > 0) return;
    if (judged.length === 0) return check.blocked('no demo list could be read (see DEMO-01)');
    if (shown < 2) return check.blocked(`a limit cannot be seen at work on ${shown} demo units: seed at least two`);
    if (Math.min(...judged) >= shown)
      return check.blocked(
        `no limit below the number of demo units, ${shown}, is accepted: seed more than ${Math.min(...judged)}`,
      );
  },
);

/** A deletion that is refused and carried out all the same: a unit that stood there twice is gone right after it, three times in a row. */
async function judgeDemoDeletions(check: Check): Promise<void> {
  const exchanges: Exchange[] = [];
  const read = async (): Promise<string[]> => {
    const exchange = await readDemo(check, [['limit', '50']]);
    exchanges.push(exchange);
    return (demoRecords(exchange.response?.json) ?? []).map(idOf).filter((id) => id !== null);
  };
  let lost = '';
  for (let round = 0; round < 3; round += 1) {
    const before = await read();
    const steady = await read();
    const [first] = before;
    if (first === undefined || !sameJson(before, steady)) return;
    for (const path of [`${paths.demoUnits}/${encodeURIComponent(first)}`, paths.demoUnits])
      exchanges.push(await check.send({ method: 'DELETE', path, surface: 'demo' }));
    const after = await read();
    // What stands at the end of a cut list may be pushed out by a new unit.
    const gone = before.slice(0, Math.ceil(before.length / 2)).filter((id) => !after.includes(id));
    if (gone[0] === undefined || after.length === 0) return;
    lost = gone[0];
  }
  check.breach({
    expected: 'the demo data unchanged',
    actual: `${quote(lost)} is gone after DELETE was sent, as one was after each DELETE before it`,
    exchanges,
  });
}

test(
  'nothing can be written through the demo API',
  requirement('DEMO-05', 'MUST', '§1, §4 Demo endpoint (read-only)', { writes: true }),
  async ({ check }) => {
    const wide = await readDemo(check, [['limit', '50']]);
    const query = demoRecords(wide.response?.json) === null ? [] : ([['limit', '50']] as const);
    const before = query.length > 0 ? wide : await readDemo(check);
    const records = demoRecords(before.response?.json);
    if (records === null) return check.blocked(`the demo list could not be read (see DEMO-01): ${describe(before)}`);
    const id = idOf(records[0]) ?? '1';
    const mark = check.fresh('demo mark');
    const plain = { id: check.fresh('demo unit'), status: 'available' };
    const unit = { ...marked(records[0], mark), ...plain };
    const writes = [
      { method: 'POST', path: paths.demoUnits, json: { ...asObject(records[0]), ...plain } },
      { method: 'POST', path: paths.demoUnits, json: unit },
      { method: 'PUT', path: paths.demoUnits, json: unit },
      { method: 'PATCH', path: paths.demoUnits, json: { status: 'sold' } },
      { method: 'DELETE', path: paths.demoUnits },
      { method: 'POST', path: `${paths.demoUnits}/${encodeURIComponent(id)}`, json: unit },
      { method: 'PUT', path: `${paths.demoUnits}/${encodeURIComponent(id)}`, json: { ...unit, id } },
      { method: 'PATCH', path: `${paths.demoUnits}/${encodeURIComponent(id)}`, json: { status: 'conformance' } },
      { method: 'DELETE', path: `${paths.demoUnits}/${encodeURIComponent(id)}` },
    ];
    const judgeProduction = await watchProduction(check, {
      ids: records.map(idOf).filter((one) => one !== null),
      made: unit.id,
      mark,
      status: 'conformance',
    });
    const credentials = check.target.keys.API_KEY === undefined ? [null] : [null, 'API_KEY' as const];
    for (const as of credentials) {
      for (const write of writes) {
        const exchange = await check.send({ ...write, as, surface: 'demo' });
        if (isSuccess(exchange)) {
          check.breach({
            expected: `${write.method} on the demo API to be refused`,
            actual: describe(exchange),
            exchanges: [exchange],
          });
        }
      }
    }
    const after = await readDemo(check, query);
    const now = demoRecords(after.response?.json) ?? [];
    const mine = now.find(
      (record) =>
        idOf(record) === unit.id ||
        asObject(record)?.['status'] === 'conformance' ||
        JSON.stringify(record).includes(mark),
    );
    if (mine !== undefined && !records.some((record) => sameJson(record, mine))) {
      check.breach({
        expected: 'the demo data unchanged',
        actual: `${quote(mine)} was written through it`,
        exchanges: [before, after],
      });
    }
    await judgeProduction();
    await judgeDemoDeletions(check);
    await judgeDemoLead(check, id);
    if (records.length === 0)
      return check.blocked('the demo list shows no unit that a write could change or delete: seed at least one');
  },
);
