import { idIn, isSuccess } from '../service/index.js';
import { createUnit, plainLead, postLead, prepareLeads } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { Observation } from '../requirement/index.js';
import type { Check, WebhookSetup } from '../run/index.js';
import type { Delivery, HookTenant } from './delivery.js';
import { type EventKind, eventKinds } from '../openapi/index.js';
import { eventsOf } from './event-payload.js';
import type { OwnWrite } from './judge/hook-findings.js';
import { findKindPlace, kindTexts } from './kind-place.js';
import { startReceiver, type Receiver } from './receiver.js';
import { settle } from './settle.js';
import { triggerUrl } from './trigger-url.js';
import { watchRetries } from './watch-retries.js';

/** One request to WEBHOOK_TRIGGER. */
export interface Triggered {
  readonly kind: EventKind;
  readonly tenant: HookTenant;
  readonly exchange: Exchange;
  /** Whether it was answered 2xx, so that the event has to come. */
  readonly accepted: boolean;
}

/** The deliveries of one run, and their causes. */
export interface Collected {
  readonly deliveries: readonly Delivery[];
  readonly writes: readonly (OwnWrite & { readonly exchange: Exchange | null })[];
  readonly triggered: readonly Triggered[];
  readonly retries: readonly Observation[];
  /** The address of the receiver. */
  readonly listenedAt: string;
  readonly waitedSeconds: number;
  /** Other paths of that address that something was sent to, each with its method. */
  readonly elsewhere?: readonly string[];
}

const usualWaitMs = 5_000;
const accented = 'Zoë Łódź \u{1f697} </b> a/b & "c" \u2028 e\u0301';

/** The kind of one delivery as far as it alone shows it. */
function kindsIn(delivery: Delivery): readonly EventKind[] {
  return eventsOf(delivery).flatMap((event) => {
    const texts = kindTexts(event);
    const text = texts.get(findKindPlace([texts]) ?? '');
    return eventKinds.filter((kind) => kind === text);
  });
}

async function openReceiver(check: Check): Promise<Receiver> {
  const listen = check.target.webhookListen;
  try {
    return await startReceiver(listen ?? {});
  } catch (error) {
    return check.blocked(
      `cannot listen at ${listen?.host ?? '127.0.0.1'}:${listen?.port ?? 0} (WEBHOOK_LISTEN): ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Causes events by writes and by WEBHOOK_TRIGGER, and collects what is delivered; once in a run. */
export async function collectDeliveries(check: Check): Promise<Collected> {
  await prepareLeads(check);
  return check.recorded('deliveries', async () => {
    const { hooks } = check.run;
    const receiver = await openReceiver(check);
    try {
      return await collectAt(check, receiver, hooks);
    } finally {
      await receiver.close();
    }
  });
}

async function collectAt(check: Check, receiver: Receiver, hooks: WebhookSetup | null): Promise<Collected> {
  const { target } = check;
  const started = performance.now();
  const writes: (OwnWrite & { exchange: Exchange | null })[] = [];
  const triggered: Triggered[] = [];
  const seen = new Set<EventKind>();
  let triggerWorks = target.webhookTrigger !== null;
  let nameless = 0;
  const stopListening = receiver.onDelivery((delivery) => {
    const kinds = kindsIn(delivery);
    if (kinds.length === 0) nameless += 1;
    for (const kind of kinds) {
      seen.add(kind);
      hooks?.onArrival?.(kind);
    }
  });

  async function trigger(kind: EventKind, tenant: HookTenant): Promise<boolean> {
    if (!triggerWorks || target.webhookTrigger === null) return false;
    const exchange = await check.send({
      method: 'POST',
      ...triggerUrl(target.webhookTrigger, kind, tenant),
      surface: 'other',
      as: null,
    });
    const accepted = isSuccess(exchange);
    triggered.push({ kind, tenant, exchange, accepted });
    if (exchange.response === null) triggerWorks = false;
    return accepted;
  }

  async function lead(tenant: HookTenant, extra: string): Promise<boolean> {
    const as = tenant === 'main' ? 'API_KEY' : 'OTHER_API_KEY';
    const slug = tenant === 'main' ? target.tenant : target.otherTenant;
    const body = await plainLead(check, { as, tenant: slug });
    const mark = body.name;
    const exchange = await postLead(check, { ...body, name: `${mark}${extra}` }, { as, tenant: slug });
    if (!isSuccess(exchange)) return false;
    const id = idIn(exchange);
    writes.push({
      operation: `POST /api/v1/leads${extra === '' ? '' : ' (with an accented name)'}`,
      tenant,
      exchange,
      markers: [mark, ...(id !== null && id.length >= 12 ? [id] : [])],
    });
    return true;
  }

  async function unit(tenant: HookTenant): Promise<void> {
    const id = await (tenant === 'main' ? createUnit(check) : createUnit(check, 'OTHER_API_KEY', target.otherTenant));
    if (id === null) return;
    const markers = id.length >= 12 ? [id] : [];
    writes.push({ operation: 'POST /api/v1/units', tenant, exchange: null, markers });
  }

  const mayWrite = !target.readOnly && target.keys.API_KEY !== undefined;
  const arrived = (write: OwnWrite): boolean =>
    receiver.deliveries.some((delivery) => write.markers.some((text) => delivery.body.includes(text)));
  try {
    hooks?.register?.('main', receiver.url('main'));
    hooks?.register?.('other', receiver.url('other'));
    if (mayWrite) {
      await lead('main', '');
      await lead('main', ` ${accented}`);
      await unit('main');
    }
    for (const round of [1, 2])
      for (const kind of eventKinds) if (round === 1 || seen.has(kind)) await trigger(kind, 'main');
    const expected = new Set(triggered.filter((one) => one.accepted).map((one) => one.kind));
    const causes = writes.length + triggered.filter((one) => one.accepted).length;
    // A delivery without a known kind is taken to be one of those still missing: nothing else will come for it.
    const promised = (): boolean => [...expected].filter((kind) => !seen.has(kind)).length <= nameless;
    const enough = (): boolean => promised() && writes.every((write) => write.markers.length === 0 || arrived(write));
    if (causes > 0) {
      await settle(receiver, () => promised() && (expected.size > 0 || enough()), {
        totalMs: usualWaitMs,
        quietMs: 2_500,
      });
      await settle(receiver, enough, { totalMs: expected.size > 0 ? 600 : 0, quietMs: 300 });
      if (receiver.deliveries.length > 0) await settle(receiver, () => false, { totalMs: 150, quietMs: 150 });
    }
    const waitSeconds = hooks?.waitSeconds ?? 0;
    if (waitSeconds > 0) await receiver.waitFor(() => seen.size === eventKinds.length, waitSeconds * 1_000);
    const waitedSeconds = (performance.now() - started) / 1_000;

    if (target.otherSigningSecret || target.keys.OTHER_API_KEY !== undefined) {
      const before = triggered.length;
      const earlier = writes.length;
      if (!target.readOnly && target.keys.OTHER_API_KEY !== undefined) {
        await lead('other', '');
        await unit('other');
      }
      for (const kind of ['lead.created', 'deal.funded', 'unit.sold'] as const) await trigger(kind, 'other');
      const accepted = triggered.slice(before).filter((one) => one.accepted).length;
      const markers = writes.slice(earlier).flatMap((write) => write.markers);
      // Late events and retries of the first tenant are none of those that are awaited here.
      const ofOther = (delivery: Delivery): boolean =>
        delivery.tenant === 'other' || markers.some((text) => delivery.body.includes(text));
      const expectedCount = accepted + writes.length - earlier;
      if (expectedCount > 0)
        await settle(receiver, () => receiver.deliveries.filter(ofOther).length >= expectedCount, {
          totalMs: accepted > 0 ? 3_000 : 1_500,
          quietMs: 500,
          of: ofOther,
        });
    }

    const canCause =
      receiver.deliveries.some((delivery) => delivery.tenant === 'main') && check.run.depth === 'certify';
    // A kind of its own for every try: two events of one kind may be equal byte for byte.
    const works = eventKinds.filter(
      (kind) => seen.has(kind) && triggered.some((one) => one.accepted && one.kind === kind),
    );
    const causeOne = async (at: number): Promise<boolean> => {
      const kind = works[at];
      return kind !== undefined ? trigger(kind, 'main') : mayWrite && lead('main', '');
    };
    const retries = canCause ? await watchRetries(receiver, causeOne) : [];
    return {
      deliveries: [...receiver.deliveries],
      writes,
      triggered,
      retries,
      listenedAt: receiver.url('main'),
      waitedSeconds,
      elsewhere: [...receiver.elsewhere],
    };
  } finally {
    stopListening();
  }
}
