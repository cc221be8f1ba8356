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
  readonly writes: Causes['writes'];
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

async function openReceiver(check: Check, onDelivery: (delivery: Delivery) => void): Promise<Receiver> {
  const listen = check.target.webhookListen;
  try {
    return await startReceiver({ ...listen, onDelivery });
  } catch (error) {
    return check.blocked(
      `cannot listen at ${listen?.host ?? '127.0.0.1'}:${listen?.port ?? 0} (WEBHOOK_LISTEN): ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** What arrived so far: the kinds, and how many deliveries without a known one. */
interface Arrivals {
  readonly seen: Set<EventKind>;
  nameless: number;
}

type Causes = ReturnType<typeof eventCauses>;

const acceptedKinds = ({ triggered }: Causes): EventKind[] =>
  triggered.flatMap(({ accepted, kind }) => (accepted ? [kind] : []));

/** Causes events by writes and by WEBHOOK_TRIGGER, and collects what is delivered; once in a run. */
export async function collectDeliveries(check: Check): Promise<Collected> {
  await prepareLeads(check);
  return check.recorded('deliveries', async () => {
    const arrivals: Arrivals = { seen: new Set(), nameless: 0 };
    const receiver = await openReceiver(check, (delivery) => {
      const kinds = kindsIn(delivery);
      if (kinds.length === 0) arrivals.nameless += 1;
      for (const kind of kinds) {
        arrivals.seen.add(kind);
        check.run.hooks?.onArrival?.(kind);
      }
    });
    try {
      return await collectAt(check, receiver, arrivals);
    } finally {
      await receiver.close();
    }
  });
}

/** Causes events of the first tenant, and waits until they have arrived. */
async function collectMain(receiver: Receiver, causes: Causes, arrivals: Arrivals): Promise<void> {
  const { writes, lead, unit, trigger } = causes;
  await lead('main');
  await lead('main', ` ${accented}`);
  await unit('main');
  for (const round of [1, 2])
    for (const kind of eventKinds) if (round === 1 || arrivals.seen.has(kind)) await trigger(kind, 'main');
  const expected = new Set(acceptedKinds(causes));
  if (writes.length + expected.size === 0) return;
  // A delivery without a known kind is taken to be one of those still missing: nothing else will come for it.
  const promised = (): boolean => [...expected].filter((kind) => !arrivals.seen.has(kind)).length <= arrivals.nameless;
  const arrived = (): boolean =>
    writes.every((write) => write.markers.length === 0 || receiver.deliveries.some((one) => isAbout(one, write)));
  const enough = (): boolean => promised() && arrived();
  const isEnoughToWait = (): boolean => promised() && (expected.size > 0 || arrived());
  await settle(receiver, isEnoughToWait, { totalMs: usualWaitMs, quietMs: 2_500 });
  await settle(receiver, enough, { totalMs: expected.size > 0 ? 600 : 0, quietMs: 300 });
  if (receiver.deliveries.length > 0) await settle(receiver, () => false, { totalMs: 150, quietMs: 150 });
}

/** The same for the second tenant. */
async function collectOther(receiver: Receiver, causes: Causes): Promise<void> {
  const [before, earlier, arrivedBefore] = [
    acceptedKinds(causes).length,
    causes.writes.length,
    receiver.deliveries.length,
  ];
  await causes.lead('other');
  await causes.unit('other');
  for (const kind of ['lead.created', 'deal.funded', 'unit.sold'] as const) await causes.trigger(kind, 'other');
  const accepted = acceptedKinds(causes).slice(before);
  const own = causes.writes.slice(earlier);
  // Late events and retries of the first tenant are none of those that are awaited here.
  const ofOther = (delivery: Delivery): boolean =>
    delivery.tenant === 'other' || own.some((write) => isAbout(delivery, write));
  // Nor are retries of what the second tenant was sent before, which hide no kind that is still to come.
  const enough = (): boolean => {
    const kinds = receiver.deliveries.slice(arrivedBefore).filter(ofOther).map(kindsIn);
    const nameless = kinds.filter((some) => some.length === 0).length;
    const missing = accepted.filter((kind) => !kinds.flat().includes(kind)).length;
    return missing <= nameless && kinds.length >= accepted.length + own.length;
  };
  if (accepted.length + own.length > 0)
    await settle(receiver, enough, { totalMs: accepted.length > 0 ? 3_000 : 1_500, quietMs: 500, of: ofOther });
}

async function collectAt(check: Check, receiver: Receiver, arrivals: Arrivals): Promise<Collected> {
  const { hooks, depth } = check.run;
  const started = performance.now();
  const causes = eventCauses(check);
  for (const tenant of ['main', 'other'] as const) hooks?.register?.(tenant, receiver.url(tenant));
  await collectMain(receiver, causes, arrivals);
  const waitSeconds = hooks?.waitSeconds ?? 0;
  if (waitSeconds > 0) await receiver.waitFor(() => arrivals.seen.size === eventKinds.length, waitSeconds * 1_000);
  const waitedSeconds = (performance.now() - started) / 1_000;
  if (check.target.otherSigningSecret || check.target.keys.OTHER_API_KEY !== undefined)
    await collectOther(receiver, causes);
  // A kind of its own for every try: two events of one kind may be equal byte for byte.
  const works = eventKinds.filter((kind) => arrivals.seen.has(kind) && acceptedKinds(causes).includes(kind));
  const causeOne = async (at: number): Promise<boolean> => {
    const kind = works[at];
    return kind !== undefined ? causes.trigger(kind, 'main') : causes.lead('main');
  };
  const canCause = depth === 'certify' && receiver.deliveries.some(({ tenant }) => tenant === 'main');
  return {
    deliveries: [...receiver.deliveries],
    writes: causes.writes,
    triggered: causes.triggered,
    retries: canCause ? await watchRetries(receiver, causeOne) : [],
    listenedAt: receiver.url('main'),
    waitedSeconds,
    elsewhere: [...receiver.elsewhere],
  };
}
