import { createHmac } from 'node:crypto';
import type { Broken } from './breaches/breaches.js';
import { objectOf, text } from './schemas.js';
import type { Flavour, JsonObject, Tenant } from './types.js';
import { tenantNamed, type World } from './world.js';

export const kinds = [
  'lead.created',
  'lead.qualified',
  'lead.converted',
  'deal.created',
  'deal.signed',
  'deal.funded',
  'unit.created',
  'unit.sold',
  'unit.aged',
  'call.completed',
  'call.escalated',
  'service.opened',
  'service.completed',
] as const;

export type EventKind = (typeof kinds)[number];

export const isKind = (text: string): text is EventKind => (kinds as readonly string[]).includes(text);

export const signatureHeader = (flavour: Flavour): string => `X-${flavour.brand}-Signature`;

const subject = (world: World, tenant: Tenant, kind: EventKind): JsonObject => {
  const { flavour, broken } = world;
  const group = kind.split('.')[0];
  const unit = [...tenant.units.keys()][0] ?? flavour.id('unit', 1);
  if (group === 'deal') {
    const deal: JsonObject = {
      ...(tenant.deals[0] ?? { id: flavour.id('deal', 90_001), stage: 'funded', totalGross: 2048.5, unitId: unit }),
    };
    if (kind === 'deal.funded') {
      if (broken('hook-deal-no-id')) delete deal['id'];
      if (broken('hook-deal-id-number')) deal['id'] = 4711;
    }
    return deal;
  }
  if (group === 'unit')
    return { ...(tenant.units.get(unit)?.record ?? { id: unit, status: 'available' }), note: 'Größe “L” – 🚚' };
  if (group === 'lead') {
    const lead = [...tenant.leads.values()].at(-1);
    return {
      id: lead?.id ?? flavour.id('lead', 90_001),
      name: lead?.name ?? 'Zoë Ångström',
      phone: lead?.phone ?? '+31201234567',
      vehicleId: lead?.vehicleId ?? unit,
    };
  }
  return {
    id: `${group ?? 'x'}-1`,
    summary: `Ünïcode ✓ ${kind}`,
    ...(group === 'call' ? { seconds: 42 } : { orderNumber: 'S-1' }),
  };
};

const spoken = (broken: Broken, kind: EventKind): string => {
  if (broken('hook-kind-renamed') && kind === 'call.escalated') return 'call.escalate';
  if (broken('hook-kind-underscore') && kind === 'service.opened') return 'service_opened';
  return kind;
};

const payload = (world: World, tenant: Tenant, kind: EventKind, seq: number): JsonObject => {
  const data = subject(world, tenant, kind);
  const name = spoken(world.broken, kind);
  if (world.broken('hook-own-shape')) return { note: 'see the dealer application' };
  switch (world.flavour.hook.shape) {
    case 'type-data':
      return { id: `evt_${seq}`, type: name, createdAt: new Date().toISOString(), data };
    case 'event-payload':
      return { event: name, payload: data };
    case 'flat':
      return { kind: name, ...data };
    case 'header-only':
      return data;
    case 'cloud':
      return {
        specversion: '1.0',
        id: String(seq),
        source: `/${tenant.slug}`,
        type: name,
        subject: String(data['id'] ?? ''),
        data,
      };
  }
};

export const hookSchema = (flavour: Flavour): JsonObject => {
  const data: JsonObject = { type: 'object' };
  switch (flavour.hook.shape) {
    case 'type-data':
      return objectOf({ id: text, type: text, createdAt: { type: 'string', format: 'date-time' }, data });
    case 'event-payload':
      return objectOf({ event: text, payload: data });
    case 'flat':
      return objectOf({ kind: text, id: text });
    case 'header-only':
      return objectOf({ id: text });
    case 'cloud':
      return objectOf(
        {
          specversion: { const: '1.0' },
          id: text,
          source: { type: 'string', format: 'uri-reference' },
          type: text,
          subject: text,
          data,
        },
        ['subject'],
      );
  }
};

export type Courier = { readonly emit: (tenant: Tenant, kind: EventKind) => void; readonly stop: () => void };

export const createCourier = (world: World): Courier => {
  const { flavour, broken } = world;
  const abort = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  let seq = 0;
  let firstSignature: string | null = null;

  const sign = (tenant: Tenant, signed: Buffer): string => {
    const owner = broken('hook-wrong-tenant') ? tenantNamed(world, 'main') : tenant;
    const setting = tenant.name === 'other' ? 'OTHER_API_KEY' : 'API_KEY';
    const secret = broken('hook-key-as-secret') ? (world.namedKeys[setting] ?? '') : owner.secret;
    return flavour.signature(createHmac('sha256', secret).update(signed).digest());
  };

  const deliver = async (url: string, body: Buffer, headers: Record<string, string>): Promise<void> => {
    try {
      const answer = await fetch(url, { method: 'POST', body, headers, signal: abort.signal, redirect: 'manual' });
      await answer.arrayBuffer();
    } catch {
      // the receiver is the tenant's affair; nothing is retried
    }
  };

  const emit = (tenant: Tenant, kind: EventKind): void => {
    seq += 1;
    if (broken('hook-kind-silent') && kind === 'unit.aged') return;
    const event = payload(world, tenant, kind, seq);
    const body = Buffer.from(JSON.stringify(event), 'utf8');
    const signed = broken('hook-large-body') ? body.subarray(0, 64) : body;
    let signature = sign(tenant, signed);
    if (broken('hook-stale-signature')) {
      firstSignature ??= signature;
      signature = firstSignature;
    }
    const unsigned =
      (broken('hook-service-unsigned') && kind.startsWith('service.')) ||
      (broken('hook-lead-unsigned') && kind === 'lead.created');
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': 'dealer-hooks/1' };
    if (!unsigned) headers[signatureHeader(flavour)] = signature;
    if (flavour.hook.shape === 'header-only') headers[`X-${flavour.brand}-Event`] = spoken(broken, kind);
    const receivers = [tenant.receiver];
    if (broken('hook-tenant-leak') && tenant.name === 'main') receivers.push(tenantNamed(world, 'other').receiver);
    for (const url of receivers) {
      if (url === null) continue;
      const timer = setTimeout(() => {
        timers.delete(timer);
        void deliver(url, body, headers);
      }, flavour.hook.delayMs);
      timers.add(timer);
    }
  };

  return {
    emit,
    stop: () => {
      for (const t of timers) clearTimeout(t);
      abort.abort();
    },
  };
};
