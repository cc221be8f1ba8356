import { send } from '../answers.js';
import { ApiFailure, methodNotAllowed, notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import type { Unit } from '../data/records.js';
import type { TenantStore } from '../data/tenant-store.js';
import type { Exchange, FaultHooks, Json } from '../instance.js';
import { showListedUnit } from '../data/show-records.js';
import { crash, items, ownTenant, records, refuses, sentJson, success, takesLimit, vacuous } from './change.js';
import { fault, type Fault } from './fault.js';
const list = '/api/demo/units';
const one = '/api/demo/units/:id';

const keyMissing = (): ApiFailure => new ApiFailure(401, 'key_missing', 'Send the API key.');

/** Puts the list into the envelope, where its limit is such. */
const envelope = (when: (limit: string | undefined) => boolean): FaultHooks =>
  success('demoUnits', (answer, { query, world }) => {
    const place = world.option('demo-place');
    const shown = place === 'array' ? answer.body : (answer.body as Json)[place];
    if (when(query['limit'])) answer.body = { ok: true, data: { items: shown, nextCursor: null } };
  });
const record = (more: (item: Json, at: number) => Json): FaultHooks =>
  records('demoUnits', (item, _, at) => more(item, at));
/** Answers what the demo does not have. */
const route = (method: string, path: string, answer: (exchange: Exchange, main: TenantStore) => void): FaultHooks => ({
  routes: (add, { tenantOf }) => add(method, path, (exchange) => answer(exchange, tenantOf(mainTenant))),
});
/** Refuses what the demo does not have, once it is done. */
const does = (method: string, path: string, act: (exchange: Exchange, main: TenantStore) => void): FaultHooks =>
  route(method, path, (exchange, main) => {
    act(exchange, main);
    throw methodNotAllowed();
  });
const sentFields = (exchange: Exchange): Json => sentJson(exchange) as Json;

/** Refuses a change of a demo unit, makes it in production, and continues to show the unit unchanged. */
function reachesProduction(method: 'PATCH' | 'DELETE'): FaultHooks {
  const kept = new Map<string, Unit>();
  return {
    ...does(method, one, ({ id }, { units }) => {
      const unit = units.get(id);
      if (unit !== undefined && !kept.has(id)) kept.set(id, unit);
      if (unit !== undefined && method === 'PATCH') units.replace({ ...unit, status: 'conformance' });
      if (method === 'DELETE') units.remove(id);
    }),
    ...items('demoUnits', (shown, { world }) => {
      const removed = [...kept.values()].filter(({ id }) => world.tenantOf(mainTenant).units.get(id) === undefined);
      shown.splice(0, removed.length, ...removed.map((unit) => showListedUnit(unit, world)));
      for (const item of shown) item['status'] = kept.get(String(item['id']))?.status ?? item['status'];
    }),
  };
}

/** Faults of the demo list. */
// prettier-ignore
export const demoFaults: readonly Fault[] = [
  fault('demo-needs-key', 'DEMO-01', 'the demo list answers 401', refuses('demoUnits', keyMissing)),
  fault('demo-absent', 'DEMO-01', 'the demo list answers 404', refuses('demoUnits', notFound)),
  fault('demo-limit-needs-key', 'DEMO-01', 'a demo list with a limit answers 401', refuses('demoUnits', keyMissing, ({ query }) => query['limit'] !== undefined)),
  fault('sandbox-needs-key', 'DEMO-01', 'the sandbox asks for a key',
    refuses(/^/, keyMissing, ({ surface, headers }) => surface === 'sandbox' && headers.authorization === undefined)),
  fault('demo-envelope', 'DEMO-02', 'the demo list has the envelope', envelope(() => true), vacuous),
  fault('demo-envelope-with-limit', 'DEMO-02', 'a demo list with a limit above 20 has the envelope', envelope((given) => Number(given) > 20), vacuous),
  fault('demo-envelope-for-one', 'DEMO-02', 'a demo list of one unit has the envelope', envelope((given) => given === '1'), vacuous),
  fault('demo-record-differs', 'DEMO-03', 'one demo record shows another price', record((item, at) => (at === 1 ? { priceCents: Number(item['priceCents']) - 100 } : {}))),
  fault('demo-nested-differs', 'DEMO-03', 'one demo record names another lot',
    record((item, at) => (at === 1 ? { location: { ...(item['location'] as Json), lot: 'showroom' } } : {}))),
  fault('demo-field-missing', 'DEMO-03', 'demo records lack their stock number', record(() => ({ stockNumber: undefined })), vacuous),
  fault('demo-nested-field-missing', 'DEMO-03', 'locations of demo records lack their row', record((item) => ({ location: { ...(item['location'] as Json), row: undefined } }))),
  fault('demo-field-other-type', 'DEMO-03', 'the year of demo records is a text', record((item) => ({ year: String(item['year']) })), vacuous),
  fault('demo-field-renamed', 'DEMO-03', 'demo records show price for priceCents', record((item) => ({ price: item['priceCents'], priceCents: undefined })), vacuous),
  fault('demo-field-added', 'DEMO-03', 'demo records show a margin that production does not', record(() => ({ marginCents: 50_000 })), vacuous),
  fault('demo-null-field-added', 'DEMO-03', 'demo records show a field that is null and that production does not have', record(() => ({ internalRating: null })), vacuous),
  fault('demo-limit-ignored', 'DEMO-04', 'the demo list ignores limit', takesLimit('demoUnits', () => 50)),
  fault('demo-limit-plus-one', 'DEMO-04', 'the demo list holds one unit more than asked for', takesLimit('demoUnits', (limit) => limit + 1)),
  fault('demo-limit-lost-at-hundred', 'DEMO-04', 'the demo list holds more than a hundred units where a hundred are asked for',
    items('demoUnits', (shown, { query }) => query['limit'] === '100' && shown.push(...shown.slice(0, 50)))),
  fault('demo-limit-at-least-five', 'DEMO-04', 'the demo list holds five units at least', takesLimit('demoUnits', (limit) => Math.max(5, limit))),
  fault('demo-limits-in-between-ignored', 'DEMO-04', 'a limit of the demo between 21 and 49 is taken for 50',
    takesLimit('demoUnits', (limit) => (limit > 20 && limit < 50 ? 50 : limit))),
  fault('demo-post-succeeds', 'DEMO-05', 'a POST to the demo list makes a unit', route('POST', list, (exchange) => send(exchange, 201, { id: 'unit_demo', status: 'available' }))),
  fault('demo-post-shown', 'DEMO-05', 'a POST to the demo list answers 405, and the demo list alone then shows its unit', () => {
    const made: Json[] = [];
    return {
      ...does('POST', list, (exchange) => made.unshift({ ...sentFields(exchange), id: `unit_demo_${made.length}` })),
      ...items('demoUnits', (shown) => void shown.splice(0, made.length, ...made.slice(0, shown.length))),
    };
  }),
  fault('demo-post-stored', 'DEMO-05', 'a POST to the demo list answers 405 and makes a unit under an id of its own',
    does('POST', list, (exchange, main) => main.units.add({ ...(sentFields(exchange) as unknown as Unit), id: main.newId('unit') }))),
  fault('demo-delete-succeeds', 'DEMO-05', 'a DELETE on a demo unit answers 204', route('DELETE', one, ({ response }) => response.writeHead(204).end())),
  fault('demo-delete-carried-out', 'DEMO-05', 'a DELETE on a demo unit answers 405 and deletes it', does('DELETE', one, ({ id }, { units }) => units.remove(id))),
  fault('demo-delete-of-own-carried-out', 'DEMO-05', 'a DELETE on the demo list answers 405 and deletes its first unit', does('DELETE', list, (exchange) => {
    const { units } = ownTenant(exchange);
    for (const { id } of units.all().slice(0, 1)) units.remove(id);
  }), { needs: { 'demo-data': 'own' } }),
  fault('demo-patch-succeeds', 'DEMO-05', 'a PATCH on a demo unit changes it', route('PATCH', one, (exchange, { units }) => {
    const unit = units.get(exchange.id);
    if (unit === undefined) throw notFound();
    units.replace({ ...unit, mileageKm: unit.mileageKm + 1 });
    send(exchange, 200, units.get(unit.id));
  })),
  fault('demo-patch-validated', 'DEMO-05', 'a PATCH on a demo unit that production would take changes that of production', does('PATCH', one, (exchange, { units }) => {
    const [unit, change] = [units.get(exchange.id), sentFields(exchange)];
    if (unit !== undefined && !('status' in change)) units.replace({ ...unit, ...change });
  })),
  fault('demo-patch-reaches-production', 'DEMO-05', 'a PATCH on a demo unit is refused and changes that of production', () => reachesProduction('PATCH')),
  fault('demo-delete-reaches-production', 'DEMO-05', 'a DELETE on a demo unit is refused and deletes that of production', () => reachesProduction('DELETE')),
  fault('demo-lead-taken', 'DEMO-05', 'a lead can be made through the demo', route('POST', '/api/demo/leads', (exchange) => send(exchange, 201, { id: 'lead_demo' }))),
  fault('demo-put-succeeds', 'DEMO-05', 'a PUT on the demo list answers 200', route('PUT', list, (exchange) => send(exchange, 200, { replaced: true }))),
  fault('demo-post-crashes', 'ENV-06', 'a POST to the demo list answers 500',
    route('POST', list, (exchange) => send(exchange, 500, { message: 'Internal Server Error' })), { elsewhere: 'DEMO' }),
  fault('demo-crash-on-unusable-limit', 'ENV-06', 'the demo list answers 500 where its limit is no number',
    refuses('demoUnits', crash, ({ query: { limit = '0' } }) => !/^\d{1,9}$/.test(limit)), { elsewhere: 'DEMO' }),
];
