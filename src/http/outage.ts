import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, FailureKind } from './exchange.js';
import { gatewayStatuses } from './gateways.js';
import type { WireAnswer } from './transport.js';

/** Failures before anything was delivered: to send again changes nothing, whatever is sent. */
const undeliveredKinds: readonly FailureKind[] = [
  'refused',
  'unreachable',
  'dns',
  'tls',
  'http2',
  'proxy',
  'proxy-login',
];
const awayKinds: readonly FailureKind[] = [...undeliveredKinds, 'reset', 'timeout', 'malformed'];

/** How long a target may be away before it counts as gone, in milliseconds. */
const patienceMs = 30_000;
const firstPauseMs = 250;
const longestPauseMs = 4_000;

type Answer = Pick<WireAnswer, 'status' | 'failure'>;

/** Whether a proxy failed, and not the target. */
export const isOfProxy = (kind: FailureKind | undefined): boolean => kind === 'proxy' || kind === 'proxy-login';

/** Whether the request never reached the target. */
export function isUndelivered(answer: Answer): boolean {
  return answer.failure !== null && undeliveredKinds.includes(answer.failure.kind);
}

/** Whether a gateway may have given this answer in the place of the service. */
export function isGatewayStatus(answer: Answer): boolean {
  return answer.failure === null && gatewayStatuses.includes(answer.status);
}

/** Whether a target that is away may look like this; so may one that fails at this request alone. */
export function looksAway(answer: Answer): boolean {
  return isGatewayStatus(answer) || (answer.failure !== null && awayKinds.includes(answer.failure.kind));
}

/** Why a check is blocked by a request that a target met while it was away, from the recorded exchange alone. */
export function awayReason({ request, failure }: Exchange): string {
  if (failure !== null && isOfProxy(failure.cause))
    return `${failure.message}, so ${request.method} ${request.path} never reached the target: run it again`;
  return `the target was away when ${request.method} ${request.path} was sent (${failure?.message ?? ''}), so what it does with that was not seen: run it again`;
}

/** Whether the target answers other requests now (`present`), was away and came back, or stayed away. */
export type Presence = 'present' | 'away' | 'gone';

/** Tells a target that is away from one that fails at one request: it asks a request again that was answered before. */
export interface OutageWatch {
  /** After an answer that looks away: waits until the target answers again, at most for the patience. */
  presence(sentAtMs: number): Promise<Presence>;
}

/** A watch that sends `probe`; concurrent requests that find the target away share its probes. */
export function createOutageWatch(
  probe: () => Promise<WireAnswer>,
  {
    mostMs = patienceMs,
    wait = sleep,
  }: { readonly mostMs?: number | undefined; readonly wait?: ((ms: number) => Promise<unknown>) | undefined } = {},
): OutageWatch {
  let backAtMs = -Infinity;
  let running: Promise<Presence> | null = null;

  async function watch(): Promise<Presence> {
    let seen = await probe();
    if (!looksAway(seen)) return 'present';
    for (let pauseMs = firstPauseMs, leftMs = mostMs; leftMs > 0; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await wait(pauseMs);
      seen = await probe();
      if (!looksAway(seen)) {
        backAtMs = seen.receivedAtMs;
        return 'away';
      }
      leftMs -= pauseMs + (seen.receivedAtMs - seen.sentAtMs);
    }
    return 'gone';
  }

  return {
    async presence(sentAtMs) {
      // An answer of an outage may be read only after its end was seen.
      if (sentAtMs < backAtMs) return 'away';
      running ??= watch().finally(() => (running = null));
      return running;
    },
  };
}
