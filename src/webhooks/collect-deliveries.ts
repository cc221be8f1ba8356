import { prepareLeads } from '../api/index.js';
import type { Observation } from '../requirement/index.js';
import type { Check } from '../run/index.js';
import { eventCauses, type Triggered } from './cause-events.js';
import type { Delivery } from './delivery.js';
import { type EventKind, eventKinds } from '../openapi/index.js';
import { eventsOf } from './event-payload.js';
import { isAbout } from './judge/hook-report.js';
import { findKindPlace, kindTexts } from './kind-place.js';
import { startReceiver, type Receiver } from './receiver.js';
import { settle } from './settle.js';
import { watchRetries } from './watch-retries.js';

/** The deliveries of one run, and their causes. */
export interface Collected {
  readonly deliveries: readonly Delivery[];
  readonly writes: ReturnType<typeof eventCauses>['writes'];
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
    const receiver = await openReceiver(check);
    try {
      return await collectAt(check, receiver);
    } finally {
      await receiver.close();
    }
  });
}

async function collectAt(check: Check, receiver: Receiver): Promise<Collected> {
  const { hooks, depth } = check.run;
  const started = performance.now();
  const causes = eventCauses(check);
  const { writes, triggered, trigger, lead, unit } = causes;
  const seen = new Set<EventKind>();
  let nameless = 0;
  const stopListening = receiver.onDelivery((delivery) => {
    const kinds = kindsIn(delivery);
    if (kinds.length === 0) nameless += 1;
    for (const kind of kinds) {
      seen.add(kind);
      hooks?.onArrival?.(kind);
    }
  });
  const acceptedKinds = (): EventKind[] => triggered.flatMap(({ accepted, kind }) => (accepted ? [kind] : []));

  async function awaitMain(): Promise<void> {
    const expected = new Set(acceptedKinds());
    // A delivery without a known kind is taken to be one of those still missing: nothing else will come for it.
    const promised = (): boolean => [...expected].filter((kind) => !seen.has(kind)).length <= nameless;
    const arrived = (): boolean =>
      writes.every((write) => write.markers.length === 0 || receiver.deliveries.some((one) => isAbout(one, write)));
    const enough = (): boolean => promised() && arrived();
    const isEnoughToWait = (): boolean => promised() && (expected.size > 0 || arrived());
    await settle(receiver, isEnoughToWait, { totalMs: usualWaitMs, quietMs: 2_500 });
    await settle(receiver, enough, { totalMs: expected.size > 0 ? 600 : 0, quietMs: 300 });
    if (receiver.deliveries.length > 0) await settle(receiver, () => false, { totalMs: 150, quietMs: 150 });
  }

  async function causeAndAwaitOther(): Promise<void> {
    const [before, earlier] = [acceptedKinds().length, writes.length];
    await lead('other');
    await unit('other');
    for (const kind of ['lead.created', 'deal.funded', 'unit.sold'] as const) await trigger(kind, 'other');
    const accepted = acceptedKinds().length - before;
    const own = writes.slice(earlier);
    const expectedCount = accepted + own.length;
    // Late events and retries of the first tenant are none of those that are awaited here.
    const ofOther = (delivery: Delivery): boolean =>
      delivery.tenant === 'other' || own.some((write) => isAbout(delivery, write));
    if (expectedCount > 0)
      await settle(receiver, () => receiver.deliveries.filter(ofOther).length >= expectedCount, {
        totalMs: accepted > 0 ? 3_000 : 1_500,
        quietMs: 500,
        of: ofOther,
      });
  }

  try {
    for (const tenant of ['main', 'other'] as const) hooks?.register?.(tenant, receiver.url(tenant));
    await lead('main');
    await lead('main', ` ${accented}`);
    await unit('main');
    for (const round of [1, 2])
      for (const kind of eventKinds) if (round === 1 || seen.has(kind)) await trigger(kind, 'main');
    if (writes.length + acceptedKinds().length > 0) await awaitMain();
    const waitSeconds = hooks?.waitSeconds ?? 0;
    if (waitSeconds > 0) await receiver.waitFor(() => seen.size === eventKinds.length, waitSeconds * 1_000);
    const waitedSeconds = (performance.now() - started) / 1_000;
    if (check.target.otherSigningSecret || check.target.keys.OTHER_API_KEY !== undefined) await causeAndAwaitOther();
    // A kind of its own for every try: two events of one kind may be equal byte for byte.
    const works = eventKinds.filter((kind) => seen.has(kind) && acceptedKinds().includes(kind));
    const causeOne = async (at: number): Promise<boolean> => {
      const kind = works[at];
      return kind !== undefined ? trigger(kind, 'main') : lead('main');
    };
    const canCause = depth === 'certify' && receiver.deliveries.some(({ tenant }) => tenant === 'main');
    return {
      deliveries: [...receiver.deliveries],
      writes,
      triggered,
      retries: canCause ? await watchRetries(receiver, causeOne) : [],
      listenedAt: receiver.url('main'),
      waitedSeconds,
      elsewhere: [...receiver.elsewhere],
    };
  } finally {
    stopListening();
  }
}
