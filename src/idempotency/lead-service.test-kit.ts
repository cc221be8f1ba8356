import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, bodyOf, type Loopback } from '../loopback.test-kit.js';
import { documentOf, plain, type Fault, type LeadServiceOptions } from './lead-service-options.test-kit.js';

interface Lead {
  id: string;
  name: string;
  phone: string;
  vehicleId: string;
  createdAt: string;
  score: number;
}
interface Kept {
  body: string;
  status: number;
  data: Record<string, unknown>;
  lead: Lead | null;
  done: Promise<void>;
  ended: boolean;
}

const keys = new Map([
  ['key-of-tenant-a', 'a'],
  ['key-of-tenant-b', 'b'],
]);

/** A lead service on a free port of the loopback; hands back its address, how many leads it made, and how many connections were opened. */
export async function startLeadService(overrides: Partial<LeadServiceOptions>): Promise<
  Loopback & {
    baseUrl: string;
    made: () => number;
    connections: () => number;
  }
> {
  const options: LeadServiceOptions = { ...plain, ...overrides };
  const faulty = (fault: Fault): boolean => options.faults.includes(fault);
  const madeAtMs = new WeakMap<Lead, number>();
  const leads = new Map<string, Lead[]>([
    ['a', []],
    ['b', []],
  ]);
  const units = ['u1', 'u2', 'u3'].map((id) => ({ id, status: 'available' }));
  const kept = new Map<string, Kept>();
  const phones = new Set<unknown>();
  const waiting = new Map<string, (() => void)[]>();
  let connections = 0;
  let made = 0;

  const cut = (key: string): string =>
    faulty('first-eight') ? key.slice(0, 8) : faulty('all-but-last') ? key.slice(0, -1) : key;
  const scope = (tenant: string, route: string, key: string, body: string): string =>
    `${faulty('cross-tenant') ? '' : faulty('cross-tenant-same-body') ? body : tenant} ${faulty('cross-route') ? '' : route} ${cut(key)}`;

  function make(tenant: string, key: string, fields: Record<string, unknown>): Lead {
    const own = leads.get(tenant) ?? [];
    const known = options.dedup
      ? own.find((lead) => lead.phone === fields['phone'] && lead.name === fields['name'])
      : undefined;
    if (known) return known;
    made += 1;
    const id =
      options.ids === 'random'
        ? randomUUID()
        : options.ids === 'counter'
          ? String(own.length + 1)
          : options.ids === 'key'
            ? key
            : Buffer.from(JSON.stringify(fields)).toString('base64url');
    const lead: Lead = {
      id,
      name: String(fields['name']),
      phone: String(fields['phone']),
      vehicleId: String(fields['vehicleId']),
      createdAt: new Date(1e12 + made * 1000).toISOString(),
      score: 10,
    };
    own.push(lead);
    madeAtMs.set(lead, performance.now());
    return lead;
  }

  function view(lead: Lead): Record<string, unknown> {
    if (options.score === 'moves') lead.score += 1;
    const { id, name, phone, vehicleId } = lead;
    if (options.shows === 'id') return { leadId: id };
    if (options.shows === 'echo') return { name, phone, vehicleId };
    if (options.shows === 'masked') return { ...lead, phone: `${phone.slice(0, 3)}…${phone.slice(-2)}` };
    if (options.shows === 'nothing') return {};
    return options.shows === 'nested' ? { lead: { ...lead } } : { ...lead };
  }

  function send(
    response: ServerResponse,
    status: number,
    data: Record<string, unknown> | null,
    code = 'refused',
  ): ServerResponse {
    const body = JSON.stringify(data === null ? { ok: false, error: { code } } : { ok: true, data });
    return response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  function valid(text: string): Record<string, unknown> | null {
    try {
      const fields = JSON.parse(text) as Record<string, unknown>;
      return typeof fields['name'] === 'string' &&
        typeof fields['phone'] === 'string' &&
        fields['phone'].startsWith('+')
        ? fields
        : null;
    } catch {
      return null;
    }
  }

  async function createLead(tenant: string, key: string, text: string, response: ServerResponse): Promise<unknown> {
    const name = scope(tenant, 'leads', key, text);
    if (faulty('tenant-blocks')) {
      const foreign = kept.get(scope(tenant === 'a' ? 'b' : 'a', 'leads', key, text));
      if (foreign) return send(response, 409, null, 'key_used');
    }
    if (faulty('last-twelve')) while (kept.size > 12) kept.delete(kept.keys().next().value ?? '');
    const before = kept.get(name);
    if (before !== undefined) return replay(before, tenant, key, text, response);
    const fields = valid(text);
    if (fields === null) {
      if (faulty('poison') || faulty('poison-first')) {
        const ghost = { id: randomUUID(), name: 'ghost', phone: '+1', vehicleId: 'u1', createdAt: 'now', score: 1 };
        kept.set(name, {
          body: '',
          status: 201,
          data: view(ghost),
          lead: faulty('poison') ? ghost : null,
          done: Promise.resolve(),
          ended: true,
        });
      } else if (options.burns)
        kept.set(name, { body: text, status: 400, data: {}, lead: null, done: Promise.resolve(), ended: true });
      return send(response, 400, null, 'invalid');
    }
    phones.add(fields['phone']);
    if ([...phones].indexOf(fields['phone']) + 1 === options.registered) return send(response, 400, null, 'registered');
    if (faulty('race') || faulty('late-save') || faulty('race-500')) await sleep(faulty('late-save') ? 0 : 5);
    if (faulty('race-500') && kept.has(name)) return send(response, 500, null, 'unique_violation');
    let finish = (): void => undefined;
    const entry: Kept = {
      body: text,
      status: options.created,
      data: {},
      lead: null,
      done: new Promise((resolve) => {
        finish = resolve;
      }),
      ended: false,
    };
    if (!faulty('late-save')) kept.set(name, entry);
    if (options.delayMs > 0) await sleep(options.delayMs);
    entry.lead = make(tenant, key, fields);
    entry.data = view(entry.lead);
    finish();
    entry.ended = true;
    if (faulty('forgets')) kept.delete(name);
    send(response, entry.status, entry.data);
    if (!faulty('late-save')) return undefined;
    await sleep(5);
    return kept.set(name, entry);
  }

  async function replay(
    before: Kept,
    tenant: string,
    key: string,
    text: string,
    response: ServerResponse,
  ): Promise<unknown> {
    if (before.status >= 400) return send(response, before.status, null, 'burnt');
    const other = before.body !== text && before.body !== '';
    if (faulty('cross-tenant') && other && before.lead !== null && !(leads.get(tenant) ?? []).includes(before.lead))
      return send(response, 200, before.data);
    if (other && faulty('conflict-creates')) make(tenant, key, valid(text) ?? {});
    if (other && faulty('conflict-updates') && before.lead !== null) Object.assign(before.lead, valid(text));
    if (faulty('new-body') && before.lead !== null)
      return send(response, before.status, { ...before.data, ...valid(text) });
    if (other && options.conflict !== 'first') return send(response, options.conflict, null, 'key_reused');
    if (!before.ended && options.inProgress === 409) return send(response, 409, null, 'in_progress');
    await before.done;
    if (!other && faulty('replay-stored')) make(tenant, key, valid(text) ?? {});
    if (!other && typeof options.replayed === 'number' && options.replayed >= 400)
      return send(response, options.replayed, null, 'duplicate');
    const data =
      faulty('conflict-updates') || options.score === 'moves' ? view(before.lead ?? never()) : { ...before.data };
    if (faulty('poison') && before.body === '') Object.assign(data, valid(text));
    if (faulty('fresh-id')) data[options.shows === 'id' ? 'leadId' : 'id'] = randomUUID();
    if (faulty('fresh-time')) data['createdAt'] = new Date().toISOString() + String(Math.random());
    return send(response, options.replayed === 200 ? 200 : before.status, data);
  }

  function createUnit(tenant: string, key: string, text: string, response: ServerResponse): unknown {
    const name = scope(tenant, 'units', key, '');
    const before = kept.get(name);
    if (before) return send(response, before.status, before.data);
    const unit = { id: randomUUID(), status: 'available' };
    units.push(unit);
    kept.set(name, { body: text, status: 201, data: unit, lead: null, done: Promise.resolve(), ended: true });
    return send(response, 201, unit);
  }

  function list(records: readonly unknown[], query: URLSearchParams, response: ServerResponse): unknown {
    const from = Number(query.get('cursor') ?? 0);
    const size = Math.min(100, Number(query.get('limit') ?? 20));
    return send(response, 200, {
      items: records.slice(from, from + size),
      nextCursor: from + size < records.length ? String(from + size) : null,
    });
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/api/openapi.json')
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(documentOf(options)));
    const text = (await bodyOf(request)).toString();
    const tenant = keys.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (tenant === undefined) return send(response, 401, null);
    const key = String(request.headers['idempotency-key'] ?? randomUUID());
    if (url.pathname === '/api/v1/units') {
      if (request.method === 'POST') return createUnit(tenant, key, text, response);
      return list(units, url.searchParams, response);
    }
    const unit = /^\/api\/v1\/units\/(.+)$/.exec(url.pathname)?.[1];
    if (unit !== undefined) {
      const at = units.findIndex((one) => one.id === unit);
      if (at < 0) return send(response, 404, null);
      const [found] = request.method === 'DELETE' ? units.splice(at, 1) : [units[at]];
      return send(response, 200, found ?? {});
    }
    if (url.pathname === '/api/v1/leads' && request.method === 'POST') {
      if (tenant === 'b' && !options.secondTakesLeads) return send(response, 422, null);
      await gathered(key);
      return createLead(tenant, key, text, response);
    }
    if (url.pathname === '/api/v1/leads' && options.list !== 'none') {
      const isShown = (lead: Lead): boolean =>
        options.list !== 'late' || performance.now() - (madeAtMs.get(lead) ?? 0) > 800;
      const all = (leads.get(tenant) ?? []).filter(isShown);
      const own = (options.list === 'earliest' ? all.slice(0, tenant === 'a' ? 6 : 4) : all).map((lead) =>
        options.list === 'ids' ? { id: lead.id, phone: lead.phone } : lead,
      );
      return list(options.list === 'newest' ? own.reverse() : own, url.searchParams, response);
    }
    return send(response, 404, null);
  }

  async function gathered(key: string): Promise<void> {
    const here = waiting.get(key) ?? [];
    waiting.set(key, here);
    const all = new Promise<void>((resolve) => here.push(resolve));
    if (here.length === options.together) for (const go of here) go();
    if (here.length < options.together) await all;
  }

  const seen = new WeakSet<object>();
  const server = await serve((request, response) => {
    if (!seen.has(request.socket)) connections += 1;
    seen.add(request.socket);
    route(request, response).catch(() => send(response, 500, null));
  });
  return { ...server, baseUrl: server.url, made: () => made, connections: () => connections };
}

function never(): never {
  throw new Error('a lead was expected');
}
