import type { FastifyInstance } from 'fastify';
import { ApiFailure, crash } from '../api-failure.js';
import { sendJson } from '../answers.js';
import type { Unit } from '../data/records.js';
import { listUnits } from '../list-units.js';
import type { Query } from '../paging.js';
import { callerOf } from '../request-state.js';
import { person, showListedUnit } from '../show-records.js';
import type { World } from '../world.js';

type Json = Record<string, unknown>;

function distorted(item: Json, index: number, world: World): Json {
  const { has } = world.behaviour;
  const shown = { ...item };
  if (has('demo-record-differs') && index === 1) shown['priceCents'] = Number(item['priceCents']) - 100;
  if (has('demo-nested-differs') && index === 1) shown['location'] = { ...(item['location'] as Json), lot: 'showroom' };
  if (has('demo-nested-field-missing')) shown['location'] = { ...(item['location'] as Json), row: undefined };
  if (has('demo-shows-person') && index === world.behaviour.seed % 5) shown['customer'] = person(world.behaviour);
  if (has('demo-field-missing')) delete shown['stockNumber'];
  if (has('demo-field-other-type')) shown['year'] = String(item['year']);
  if (has('demo-field-added')) shown['marginCents'] = 50_000;
  if (has('demo-field-renamed')) {
    shown['price'] = item['priceCents'];
    delete shown['priceCents'];
  }
  return shown;
}

/** Only `limit` is known to the demo; one above the most that a page may hold is brought down to it. */
function demoQuery(query: Query, world: World): Query {
  const { has, dial } = world.behaviour;
  const limit = query['limit'];
  if (has('demo-limit-ignored')) return { limit: '50' };
  if (limit === undefined) return {};
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit)) {
    if (has('demo-crash-on-unusable-limit')) throw crash();
    return { limit };
  }
  const wanted = Math.min(Number(limit), Number(dial('max-limit')));
  return {
    limit: String(
      has('demo-limit-plus-one') ? wanted + 1 : has('demo-limit-at-least-five') ? Math.max(5, wanted) : wanted,
    ),
  };
}

/** Adds the demo list. */
export function demoRoutes(app: FastifyInstance, world: World): void {
  const { has, dial } = world.behaviour;
  const tenant = world.tenants.values().next().value;
  /** Units that the demo goes on showing as they were. */
  const kept = new Map<string, Unit>();
  app.get('/api/demo/units', { config: { operation: 'demoUnits' } }, (request, reply) => {
    const query = request.query as Query;
    if (has('demo-absent')) throw new ApiFailure(404, 'not_found', 'There is nothing here.');
    if (has('demo-needs-key') || (has('demo-limit-needs-key') && query['limit'] !== undefined))
      throw new ApiFailure(401, 'key_missing', 'Send the API key.');
    const { items } = listUnits(demoQuery(query, world), callerOf(request).tenant, world);
    const removed = [...kept.values()].filter((unit) => tenant?.units.get(unit.id) === undefined);
    items.splice(0, removed.length, ...removed.map((unit) => showListedUnit(unit, world.behaviour)));
    for (const item of items) item['status'] = kept.get(String(item['id']))?.status ?? item['status'];
    const shown = items.map((item, index) => distorted(item, index, world));
    if (has('demo-limit-lost-at-hundred') && query['limit'] === '100') shown.push(...shown.slice(0, 50));
    const wrapped =
      (has('demo-envelope-with-limit') && Number(query['limit']) > 20) ||
      (has('demo-envelope-for-one') && query['limit'] === '1');
    if (has('demo-envelope') || wrapped)
      return sendJson(reply, world, 200, { ok: true, data: { items: shown, nextCursor: null } });
    const place = dial('demo-place');
    return sendJson(reply, world, 200, place === 'array' ? shown : { [place]: shown });
  });
  if (has('demo-lead-taken'))
    app.post('/api/demo/leads', (_, reply) => sendJson(reply, world, 201, { id: 'lead_demo' }));
  if (has('demo-post-succeeds'))
    app.post('/api/demo/units', (_, reply) => sendJson(reply, world, 201, { id: 'unit_demo', status: 'available' }));
  if (has('demo-post-crashes'))
    app.post('/api/demo/units', (_, reply) => sendJson(reply, world, 500, { message: 'Internal Server Error' }));
  if (has('demo-post-stored'))
    app.post('/api/demo/units', (request) => {
      const sent = JSON.parse(String(request.body)) as Unit;
      tenant?.units.add({ ...sent, id: tenant.newId('unit') });
      throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
    });
  if (has('demo-put-succeeds'))
    app.put('/api/demo/units', (_, reply) => sendJson(reply, world, 200, { replaced: true }));
  if (has('demo-delete-succeeds')) app.delete('/api/demo/units/:id', (_, reply) => reply.code(204).send());
  if (has('demo-delete-of-own-carried-out'))
    app.delete('/api/demo/units', (request) => {
      const { units } = callerOf(request).tenant;
      const first = units.placed().next();
      if (first.done === false) units.remove(first.value.record.id);
      throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
    });
  if (has('demo-delete-carried-out')) {
    app.delete<{ Params: { id: string } }>('/api/demo/units/:id', (request) => {
      tenant?.units.remove(request.params.id);
      throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
    });
  }
  for (const method of ['PATCH', 'DELETE'] as const) {
    if (!has(method === 'PATCH' ? 'demo-patch-reaches-production' : 'demo-delete-reaches-production')) continue;
    app.route<{ Params: { id: string } }>({
      method,
      url: '/api/demo/units/:id',
      handler: (request) => {
        const unit = tenant?.units.get(request.params.id);
        if (unit !== undefined && !kept.has(unit.id)) kept.set(unit.id, unit);
        if (unit !== undefined && method === 'PATCH') tenant?.units.replace({ ...unit, status: 'conformance' });
        if (method === 'DELETE') tenant?.units.remove(request.params.id);
        throw new ApiFailure(405, 'method_not_allowed', 'This path does not have that method.');
      },
    });
  }
  if (has('demo-patch-succeeds')) {
    app.patch<{ Params: { id: string } }>('/api/demo/units/:id', (request, reply) => {
      const unit = tenant?.units.get(request.params.id);
      if (unit === undefined) throw new ApiFailure(404, 'unit_not_found', 'There is no such unit.');
      tenant?.units.replace({ ...unit, mileageKm: unit.mileageKm + 1 });
      return sendJson(reply, world, 200, { ...unit, mileageKm: unit.mileageKm + 1 });
    });
  }
}
