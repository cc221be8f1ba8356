import { createHash } from 'node:crypto';
import {
  type Ask,
  awayReason,
  BlockedSignal,
  type Client,
  type Exchange,
  type HeaderLine,
  type RecordedRequest,
  type Redactor,
  shownAuthorization,
} from '../../http/index.js';

/** Why a check is blocked that sends a request that the recorded run did not. */
export const unansweredReason = (request: string): string => `the evidence holds no answer to ${request}`;

/** A client that answers out of the evidence and never touches a network. */
export interface ReplayClient extends Client {
  /** Every recorded exchange that the run had seen by now, in order. */
  soFar(): readonly Exchange[];
  /** Takes the requirement's exchanges as seen, also those that were not asked for again. */
  finish(asker: string): void;
  /** Requests that the evidence holds no answer to, by who asked. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
}

/** Headers that differ from run to run: suite version and nonce, and a number that is new for each request. */
const ofTheRun = ['user-agent', 'traceparent'];

/** The identity of a request. It excludes what differs from run to run, and HEADERS (unknown to a verifier). */
function identityOf({ method, url, credential, headers, body }: Omit<RecordedRequest, 'path'>): string {
  const lines = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => !ofTheRun.includes(name) && !value.startsWith('[redacted:HEADER_'));
  const identityJson = JSON.stringify([
    method,
    url,
    credential,
    lines.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)),
    body === null,
  ]);
  return createHash('sha256')
    .update(identityJson)
    .update(body ?? '')
    .digest('base64');
}

/** The identity that a request will have once it is recorded; secrets are compared by their names. */
function identityOfAsk(ask: Ask, redactor: Redactor): string {
  const headers = ask.headers.map(([name, value]): HeaderLine => [name, redactor.text(value)]);
  const name = ask.credential?.name ?? null;
  if (ask.credential !== null) headers.push(['authorization', shownAuthorization(ask.credential.authorization, name)]);
  const body = ask.body === null ? null : redactor.bytes(ask.body);
  return identityOf({ method: ask.method, url: redactor.text(ask.url), credential: name, headers, body });
}

/** Exchanges by asker, identity and number of answers passed over before, in the order in which they were sent. */
function index(exchanges: readonly Exchange[]): Map<string, Exchange[]> {
  const queues = new Map<string, Exchange[]>();
  for (const exchange of [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs || a.seq - b.seq)) {
    const identity = identityOf(exchange.request);
    for (const name of [`${exchange.asker} ${identity} ${exchange.throttled}`, `* ${identity} ${exchange.throttled}`]) {
      const queue = queues.get(name);
      if (queue === undefined) queues.set(name, [exchange]);
      else queue.push(exchange);
    }
  }
  return queues;
}

/** A replay client over exchanges in the order of their numbers. */
export function createReplayClient(exchanges: readonly Exchange[], redactor: Redactor): ReplayClient {
  const queues = index(exchanges);
  /** By origin, why the run took the target to be gone there. */
  const gone = new Map<string, string>();
  const missing = new Map<string, string[]>();
  const lastOf = new Map<string, number>();
  for (const { asker, seq } of exchanges) lastOf.set(asker, Math.max(lastOf.get(asker) ?? 0, seq));
  const waiting: { readonly seq: number; readonly go: () => void }[] = [];
  let seen = 0;
  let ticking = false;

  // Answers come back in the order in which they came in the run, one a turn, so that what is asked next is asked as it was.
  function tick(): void {
    const next = waiting.reduce((first, one) => (one.seq < first.seq ? one : first));
    waiting.splice(waiting.indexOf(next), 1);
    seen = Math.max(seen, next.seq);
    next.go();
    ticking = waiting.length > 0;
    if (ticking) setImmediate(tick);
  }

  function turn(exchange: Exchange): Promise<void> {
    return new Promise((resolve) => {
      waiting.push({ seq: exchange.seq, go: resolve });
      if (!ticking) setImmediate(tick);
      ticking = true;
    });
  }

  function take(asker: string, ask: Ask, identity: string, throttled: number): Exchange | undefined {
    const own = queues.get(`${asker} ${identity} ${throttled}`)?.shift();
    if (own !== undefined) return own;
    // The first check that needs a shared answer asks for it; in another version of the suite that may be another check.
    return ask.method === 'GET' || ask.method === 'HEAD' ? queues.get(`* ${identity} ${throttled}`)?.[0] : undefined;
  }

  return {
    missing,
    soFar: () => exchanges.filter((exchange) => exchange.seq <= seen),
    finish(asker) {
      seen = Math.max(seen, lastOf.get(asker) ?? 0);
    },
    async send(asker, ask) {
      const identity = identityOfAsk(ask, redactor);
      const { origin, pathname, search } = new URL(ask.url);
      const shown = `${ask.method} ${redactor.text(pathname + search)}`;
      for (let throttled = 0; ; throttled += 1) {
        const known = gone.get(origin);
        if (known !== undefined) throw new BlockedSignal(known);
        const exchange = take(asker, ask, identity, throttled);
        if (exchange === undefined && throttled > 0)
          throw new BlockedSignal(`the target kept answering 429 to ${shown} (${throttled} times in a row)`);
        if (exchange === undefined) {
          missing.set(asker, [...(missing.get(asker) ?? []), shown]);
          throw new BlockedSignal(unansweredReason(shown));
        }
        await turn(exchange);
        const passedOver =
          exchange.response === null && (queues.get(`${asker} ${identity} ${throttled + 1}`)?.length ?? 0) > 0;
        if (exchange.failure?.kind === 'gone') {
          gone.set(origin, exchange.failure.message);
          throw new BlockedSignal(exchange.failure.message);
        }
        if (exchange.failure?.kind === 'away' && !passedOver) throw new BlockedSignal(awayReason(exchange));
        if (ask.raw || (exchange.response?.status !== 429 && !passedOver)) return exchange;
        if (passedOver) ask.onLost?.(exchange);
      }
    },
  };
}
