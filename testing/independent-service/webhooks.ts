import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectOf, text, type JsonObject } from './json.js';
import type { Flavour } from './flavours.js';
import type { Tenant, World } from './world.js';

export const kinds = [
  ...['lead.created', 'lead.qualified', 'lead.converted', 'deal.created', 'deal.signed', 'deal.funded', 'unit.created'],
  ...['unit.sold', 'unit.aged', 'call.completed', 'call.escalated', 'service.opened', 'service.completed'],
];

export const signatureHeader = (flavour: Flavour): string => `X-${flavour.brand}-Signature`;

/** What an event is about. */
const subject = ({ flavour }: World, { units, leads, deals }: Tenant, kind: string): JsonObject => {
  const [group = ''] = kind.split('.');
  const { of: idOf } = flavour.ids;
  const [unit = { record: { id: idOf('unit', 1), status: 'available' } }] = units.values();
  const unitId = unit.record['id'] ?? null;
  switch (group) {
    case 'deal':
      return deals[0] ?? { id: idOf('deal', 90_001), stage: 'funded', totalGross: 2048.5, unitId };
    case 'unit':
      return { ...unit.record, note: 'Größe “L” – 🚚' };
    case 'lead': {
      const usual = { id: idOf('lead', 90_001), name: 'Zoë Ångström', phone: '+31201234567', vehicleId: unitId };
      const lead: JsonObject = [...leads.values()].at(-1)?.record ?? usual;
      return Object.fromEntries(Object.keys(usual).map((name) => [name, lead[name] ?? null]));
    }
    default: {
      const more = group === 'call' ? { seconds: 42 } : { orderNumber: 'S-1' };
      return { id: `${group}-1`, summary: `Ünïcode ✓ ${kind}`, ...more };
    }
  }
};

type Event = { readonly seq: number; readonly type: string; readonly slug: string; readonly data: JsonObject };
type Shape = { readonly schema: JsonObject; readonly body: (event: Event) => JsonObject };

const object: JsonObject = { type: 'object' };

const shapes: Readonly<Record<Flavour['hook']['shape'], Shape>> = {
  'type-data': {
    schema: objectOf({ id: text, type: text, createdAt: { type: 'string', format: 'date-time' }, data: object }),
    body: ({ seq, type, data }) => ({ id: `evt_${seq}`, type, createdAt: new Date().toISOString(), data }),
  },
  'event-payload': {
    schema: objectOf({ event: text, payload: object }),
    body: ({ type, data }) => ({ event: type, payload: data }),
  },
  flat: { schema: objectOf({ kind: text, id: text }), body: ({ type, data }) => ({ kind: type, ...data }) },
  'header-only': { schema: objectOf({ id: text }), body: ({ data }) => data },
  cloud: {
    schema: objectOf({
      ...{ specversion: { const: '1.0' }, id: text, source: { type: 'string', format: 'uri-reference' } },
      ...{ type: text, 'subject?': text, data: object },
    }),
    body: ({ seq, type, slug, data }) => ({
      ...{ specversion: '1.0', id: String(seq), source: `/${slug}`, type, subject: String(data['id'] ?? ''), data },
    }),
  },
};

export const hookSchema = ({ hook }: Flavour): JsonObject => shapes[hook.shape].schema;

/** Delivers events to the receivers of the tenants until it is stopped; nothing is delivered again. */
export const createCourier = (world: World, stopped: AbortController): World['emit'] => {
  const { flavour, broken } = world;
  const { signal } = stopped;
  let seq = 0;
  let firstSignature: string | null = null;

  const signatureOf = (tenant: Tenant, body: Buffer): string => {
    const key = world.namedKeys[tenant.name === 'other' ? 'OTHER_API_KEY' : 'API_KEY'] ?? '';
    const signed = broken('hook-large-body') ? body.subarray(0, 64) : body;
    const hmac = createHmac('sha256', broken('hook-key-as-secret') ? key : tenant.secret);
    const signature = flavour.hook.signature(hmac.update(signed).digest());
    firstSignature ??= signature;
    return broken('hook-stale-signature') ? firstSignature : signature;
  };

  const deliver = async (url: string, body: Buffer, headers: Record<string, string>): Promise<void> => {
    await sleep(flavour.hook.delayMs);
    await (await fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' })).arrayBuffer();
  };

  return (tenant, kind) => {
    seq += 1;
    if (broken('hook-kind-silent') && kind === 'unit.aged') return;
    const event = { seq, type: kind, slug: tenant.slug, data: subject(world, tenant, kind) };
    const usual = shapes[flavour.hook.shape].body(event);
    const payload = broken('hook-own-shape') ? { note: 'see the dealer application' } : usual;
    const body = Buffer.from(JSON.stringify(payload), 'utf8');
    const isUnsigned = broken('hook-lead-unsigned') && kind === 'lead.created';
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'dealer-hooks/1',
      ...(isUnsigned ? {} : { [signatureHeader(flavour)]: signatureOf(tenant, body) }),
      ...(flavour.hook.shape === 'header-only' ? { [`X-${flavour.brand}-Event`]: kind } : {}),
    };
    if (tenant.receiver !== null) deliver(tenant.receiver, body, headers).catch(() => null);
  };
};
