import type { Observation } from '../requirement/index.js';
import type { Delivery, Scenario } from './delivery.js';
import { eventsOf } from './event-payload.js';
import { eventId, isRepeat } from './judge/observe-deliveries.js';
import type { Receiver } from './receiver.js';

const tries: readonly { readonly said: string; readonly scenario: Scenario }[] = [
  { said: 'answered with 500', scenario: { kind: 'status', status: 500 } },
  { said: 'cut off without an answer', scenario: { kind: 'close' } },
  { said: 'answered only after 2.5 s', scenario: { kind: 'slow', delayMs: 2_500 } },
  { said: 'answered with a redirect', scenario: { kind: 'redirect', location: '/hooks/main/moved' } },
];

function idOf(delivery: Delivery): string | null {
  const [event] = eventsOf(delivery);
  return event === undefined ? null : eventId(event);
}

/**
 * Makes the receiver fail one delivery in each of several ways, and watches for at most `patienceMs` whether and when it is repeated.
 * `cause` makes the target send another, distinguishable event and returns whether it could.
 */
export async function watchRetries(
  receiver: Receiver,
  cause: (at: number) => Promise<boolean>,
  patienceMs = 3_000,
): Promise<readonly Observation[]> {
  const failed: Delivery[] = [];
  const known = receiver.deliveries.length;
  receiver.answerWith((delivery) => {
    if (delivery.tenant !== 'main' || failed.length >= tries.length) return null;
    const repeats = failed.some((earlier) => isRepeat(earlier, delivery, idOf));
    if (repeats) return null;
    failed.push(delivery);
    return tries[failed.length - 1]?.scenario ?? null;
  });
  try {
    for (let at = 0; at < tries.length; at += 1) if (!(await cause(at))) break;
    const again = (first: Delivery): readonly Delivery[] =>
      receiver.deliveries.slice(known).filter((later) => later.seq > first.seq && isRepeat(first, later, idOf));
    await receiver.waitFor(
      () => failed.length === tries.length && failed.every((first) => again(first).length > 0),
      patienceMs,
    );
    return tries.map(({ said }, at): Observation => {
      const first = failed[at];
      const later = first === undefined ? [] : again(first);
      const times = later.map((one) => `${((one.arrivedAtMs - (first?.arrivedAtMs ?? 0)) / 1_000).toFixed(2)} s`);
      return {
        id: 'HOOK-07',
        question: `Does a delivery that is ${said} come again?`,
        observed:
          first === undefined
            ? 'not observed: no delivery came to try it on'
            : times.length > 0
              ? `yes, after ${times.join(', ')}`
              : `not within ${patienceMs / 1_000} s`,
      };
    });
  } finally {
    receiver.answerWith(null);
  }
}
