import { send } from '../answers.js';
import { ApiFailure, methodNotAllowed, notFound } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import type { Unit } from '../data/records.js';
import { callerOf, type Exchange, type FaultHooks } from '../instance.js';
import { showListedUnit } from '../data/show-records.js';
import { items, success, unreachable, vacuous, type Json } from './change.js';
import { fault, type Fault } from './fault.js';
const list = '/api/demo/units';
const one = '/api/demo/units/:id';

const keyMissing = (): ApiFailure => new ApiFailure(401, 'key_missing', 'Send the API key.');
const asksForLimit = ({ query }: Exchange): boolean => query['limit'] !== undefined;
const isUsable = (limit: unknown): boolean => typeof limit === 'string' && /^\d{1,9}$/.test(limit);

/** Puts the list into the envelope, where its limit is such. */
const envelope = (when: (limit: string | undefined) => boolean): FaultHooks =>
  success('demoUnits', (answer, { query, world }) => {
    const place = world.behaviour.option('demo-place');
    const shown = place === 'array' ? answer.body : (answer.body as Json)[place];
    if (when(query['limit'])) answer.body = { ok: true, data: { items: shown, nextCursor: null } };
  });
/** Adds to each record; undefined takes a field away. */
const record = (more: (item: Json, index: number) => Json): FaultHooks =>
  items('demoUnits', (shown) =>
    shown.splice(0, Infinity, ...shown.map((item, at) => ({ ...item, ...more(item, at) }))),
  );
/** Takes another limit than the one given. */
const limit = (change: (limit: number) => number): FaultHooks => ({
  demoQuery: (query, sent) => (isUsable(sent['limit']) ? { limit: String(change(Number(query['limit']))) } : query),
});

/** Refuses a change of a demo unit, makes it in production, and continues to show the unit unchanged. */
function reachesProduction(method: 'PATCH' | 'DELETE'): FaultHooks {
  const kept = new Map<string, Unit>();
  return {
    routes: (add, { tenantOf }) =>
      add(method, one, ({ id }) => {
        const { units } = tenantOf(mainTenant);
        const unit = units.get(id);
        if (unit !== undefined && !kept.has(id)) kept.set(id, unit);
        if (unit !== undefined && method === 'PATCH') units.replace({ ...unit, status: 'conformance' });
        if (method === 'DELETE') units.remove(id);
        throw methodNotAllowed();
      }),
    ...items('demoUnits', (shown, { world: { tenantOf, behaviour } }) => {
      const removed = [...kept.values()].filter(({ id }) => tenantOf(mainTenant).units.get(id) === undefined);
      shown.splice(0, removed.length, ...removed.map((unit) => showListedUnit(unit, behaviour)));
      for (const item of shown) item['status'] = kept.get(String(item['id']))?.status ?? item['status'];
    }),
  };
}

/** Faults of the demo list. */
// prettier-ignore
export const demoFaults: readonly Fault[] = [
  fault('demo-needs-key', 'DEMO-01', 'the demo list answers 401', unreachable('demoUnits', keyMissing)),
  fault('demo-absent', 'DEMO-01', 'the demo list answers 404', unreachable('demoUnits', notFound)),
  fault('demo-limit-needs-key', 'DEMO-01', 'a demo list with a limit answers 401',
    unreachable('demoUnits', keyMissing, asksForLimit)),
  fault('demo-envelope', 'DEMO-02', 'the demo list has the envelope', envelope(() => true), { needs: vacuous }),
  fault('demo-envelope-with-limit', 'DEMO-02', 'a demo list with a limit above 20 has the envelope',
    envelope((given) => Number(given) > 20), { needs: vacuous }),
  fault('demo-envelope-for-one', 'DEMO-02', 'a demo list of one unit has the envelope',
    envelope((given) => given === '1'), { needs: vacuous }),
  fault('demo-record-differs', 'DEMO-03', 'one demo record shows another price',
    record((item, at) => (at === 1 ? { priceCents: Number(item['priceCents']) - 100 } : {}))),
  fault('demo-nested-differs', 'DEMO-03', 'one demo record names another lot',
    record((item, at) => (at === 1 ? { location: { ...(item['location'] as Json), lot: 'showroom' } } : {}))),
  fault('demo-field-missing', 'DEMO-03', 'demo records lack their stock number',
    record(() => ({ stockNumber: undefined })), { needs: vacuous }),
  fault('demo-nested-field-missing', 'DEMO-03', 'locations of demo records lack their row',
    record((item) => ({ location: { ...(item['location'] as Json), row: undefined } }))),
  fault('demo-field-other-type', 'DEMO-03', 'the year of demo records is a text',
    record((item) => ({ year: String(item['year']) })), { needs: vacuous }),
  fault('demo-field-renamed', 'DEMO-03', 'demo records show price for priceCents',
    record((item) => ({ price: item['priceCents'], priceCents: undefined })), { needs: vacuous }),
  fault('demo-field-added', 'DEMO-03', 'demo records show a margin that production does not',
    record(() => ({ marginCents: 50_000 })), { needs: vacuous }),
  fault('demo-null-field-added', 'DEMO-03', 'demo records show a field that is null and that production does not have',
    record(() => ({ internalRating: null })), { needs: vacuous }),
  fault('demo-limit-ignored', 'DEMO-04', 'the demo list ignores limit', { demoQuery: () => ({ limit: '50' }) }),
  fault('demo-limit-plus-one', 'DEMO-04', 'the demo list holds one unit more than asked for',
    limit((given) => given + 1)),
  fault('demo-limit-lost-at-hundred', 'DEMO-04', 'the demo list holds more than a hundred units where a hundred are asked for',
    items('demoUnits', (shown, { query }) => query['limit'] === '100' && shown.push(...shown.slice(0, 50)))),
  fault('demo-limit-at-least-five', 'DEMO-04', 'the demo list holds five units at least',
    limit((given) => Math.max(5, given))),
  fault('demo-post-succeeds', 'DEMO-05', 'a POST to the demo list makes a unit',
    { routes: (add) => add('POST', list, (exchange) => send(exchange, 201, { id: 'unit_demo', status: 'available' })) }),
  fault('demo-post-shown', 'DEMO-05', 'a POST to the demo list answers 405, and the demo list alone then shows its unit',
    () => {
      const made: Json[] = [];
      return {
        routes: (add) =>
          add('POST', list, ({ body }) => {
            made.unshift({ ...(JSON.parse(String(body)) as Json), id: `unit_demo_${made.length}` });
            throw methodNotAllowed();
          }),
        ...items('demoUnits', (shown) => void shown.splice(0, made.length, ...made.slice(0, shown.length))),
      };
    }),
  fault('demo-post-stored', 'DEMO-05', 'a POST to the demo list answers 405 and makes a unit under an id of its own',
    {
      routes: (add, { tenantOf }) =>
        add('POST', list, ({ body }) => {
          const tenant = tenantOf(mainTenant);
          tenant.units.add({ ...(JSON.parse(String(body)) as Unit), id: tenant.newId('unit') });
          throw methodNotAllowed();
        }),
    }),
  fault('demo-delete-succeeds', 'DEMO-05', 'a DELETE on a demo unit answers 204',
    { routes: (add) => add('DELETE', one, ({ response }) => void response.writeHead(204).end()) }),
  fault('demo-delete-carried-out', 'DEMO-05', 'a DELETE on a demo unit answers 405 and deletes it',
    {
      routes: (add, { tenantOf }) =>
        add('DELETE', one, ({ id }) => {
          tenantOf(mainTenant).units.remove(id);
          throw methodNotAllowed();
        }),
    }),
  fault('demo-delete-of-own-carried-out', 'DEMO-05', 'a DELETE on the demo list answers 405 and deletes its first unit',
    {
      routes: (add) =>
        add('DELETE', list, (exchange) => {
          const { units } = callerOf(exchange).tenant;
          const [first] = units.placed();
          if (first) units.remove(first.record.id);
          throw methodNotAllowed();
        }),
    }, { needs: { 'demo-data': 'own' } }),
  fault('demo-patch-succeeds', 'DEMO-05', 'a PATCH on a demo unit changes it',
    {
      routes: (add, { tenantOf }) =>
        add('PATCH', one, (exchange) => {
          const { units } = tenantOf(mainTenant);
          const unit = units.get(exchange.id);
          if (unit === undefined) throw new ApiFailure(404, 'unit_not_found', 'There is no such unit.');
          const changed = { ...unit, mileageKm: unit.mileageKm + 1 };
          units.replace(changed);
          send(exchange, 200, changed);
        }),
    }),
  fault('demo-patch-validated', 'DEMO-05', 'a PATCH on a demo unit that production would take changes that of production',
    {
      routes: (add, { tenantOf }) =>
        add('PATCH', one, ({ id, body }) => {
          const { units } = tenantOf(mainTenant);
          const [unit, change] = [units.get(id), JSON.parse(String(body)) as Json];
          if (unit !== undefined && !('status' in change)) units.replace({ ...unit, ...change });
          throw methodNotAllowed();
        }),
    }),
  fault('demo-patch-reaches-production', 'DEMO-05', 'a PATCH on a demo unit is refused and changes that of production',
    () => reachesProduction('PATCH')),
  fault('demo-delete-reaches-production', 'DEMO-05', 'a DELETE on a demo unit is refused and deletes that of production',
    () => reachesProduction('DELETE')),
  fault('demo-lead-taken', 'DEMO-05', 'a lead can be made through the demo',
    { routes: (add) => add('POST', '/api/demo/leads', (exchange) => send(exchange, 201, { id: 'lead_demo' })) }),
  fault('demo-put-succeeds', 'DEMO-05', 'a PUT on the demo list answers 200',
    { routes: (add) => add('PUT', list, (exchange) => send(exchange, 200, { replaced: true })) }),
];
