import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, HeaderLine, Surface } from './exchange.js';
import { decodeBody, decodeJson, decodeText } from './decode-body.js';
import { gatewayOf, isOwnAnswer } from './gateways.js';
import {
  awayReason,
  createOutageWatch,
  isGatewayStatus,
  isOfProxy,
  isUndelivered,
  looksAway,
  type OutageWatch,
  type Presence,
} from './outage.js';
import type { Pacer } from './pacer.js';
import type { Redactor } from './redactor.js';
import { shownAuthorization } from './shown-authorization.js';
import { BlockedSignal } from './signals.js';
import type { TraceContext } from './trace-context.js';
import type { Transport, WireAnswer } from './transport.js';

/** A credential: the value sent, and the name it is shown by. */
export interface Credential {
  readonly name: string;
  /** The whole Authorization header value. */
  readonly authorization: string;
}

/** One request as a check words it. */
export interface Ask {
  readonly method: string;
  readonly url: string;
  readonly surface: Surface;
  readonly headers: readonly HeaderLine[];
  readonly credential: Credential | null;
  readonly body: Buffer | null;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** 429 answers are handed back instead of waited out. */
  readonly raw?: boolean;
  /** The body goes out in pieces, with pauses. */
  readonly slowly?: boolean;
  /** Called with each try whose answer was lost, before the request is sent again: the target may have done what was asked. */
  readonly onLost?: (exchange: Exchange) => void;
}

/** An answer, and the header lines that were sent for it. */
interface Answer extends WireAnswer {
  readonly sent: readonly HeaderLine[];
}

/**
 * Sends, waits out 429 and outages, asks again where an answer was lost and that changes nothing, redacts and records: exactly one exchange
 * for every request on the wire. Throws BlockedSignal where the target is gone, or was away when something was sent that cannot be sent again.
 */
export interface Client {
  send(asker: string, ask: Ask): Promise<Exchange>;
}

/** How often a lost request is sent again; a closed connection costs less time than a silent one. */
const mostTriesMore: Readonly<Partial<Record<string, number>>> = { reset: 2, timeout: 1 };
/** A request that finds the target away more often than this, each time after it had come back, is treated as the cause. */
const mostOutages = 2;
/** Requests that never reach the service cause nothing; how often one is sent again, and after what pause, which doubles each time. */
const mostUndelivered = 3;
const pauseMs = 250;
const probeTimeoutMs = 5_000;

function isSafe(ask: Ask): boolean {
  return (ask.method === 'GET' || ask.method === 'HEAD') && ask.body === null;
}

/**
 * Whether it changes nothing to ask again: a safe request (RFC 9110 §9.2.2), one of what is planned and does nothing yet, or a create with an
 * idempotency key, which is what the key is for.
 */
function isRepeatable(ask: Ask): boolean {
  return (
    isSafe(ask) ||
    ask.surface === 'planned' ||
    (ask.method === 'POST' && ask.headers.some(([name]) => name.toLowerCase() === 'idempotency-key'))
  );
}

/**
 * Whether a server ended a connection on which it got no whole request (RFC 9110 §15.5.9): every request here is whole, so that this one had
 * not arrived when the answer was sent.
 */
function isUnheard({ status, headers }: WireAnswer): boolean {
  return status === 408 && headers.some(([name, value]) => name === 'connection' && /\bclose\b/i.test(value));
}

/** A client over `transport`; `record` gets every exchange once, already redacted. */
export function createClient(parts: {
  readonly transport: Transport;
  readonly redactor: Redactor;
  readonly pacer: Pacer;
  readonly record: (exchange: Exchange) => void;
  readonly userAgent: string;
  readonly trace: TraceContext;
  /** Sent to these origins with every request; shown by a mark of the name alone. */
  readonly added?: {
    readonly headers: readonly HeaderLine[];
    readonly origins: readonly string[];
    readonly markOf: (name: string) => string;
  };
  readonly nextSeq: () => number;
  /** Most requests a second. */
  readonly rate?: number;
  /** Nothing more is sent once it fires. */
  readonly signal?: AbortSignal;
  /** How long the target may be away before it counts as gone, and how to wait. */
  readonly outage?: Parameters<typeof createOutageWatch>[1];
}): Client {
  const { transport, redactor, pacer } = parts;
  /** By origin: a watch that asks what was answered there before, and why the target is gone. */
  const watches = new Map<string, OutageWatch>();
  const gone = new Map<string, string>();

  let nextAtMs = 0;

  async function transmit(ask: Ask, timeoutMs: number | undefined): Promise<Answer> {
    if (parts.rate !== undefined) {
      const waitMs = nextAtMs - performance.now();
      nextAtMs = Math.max(nextAtMs, performance.now()) + 1000 / parts.rate;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: parts.signal }).catch(() => undefined);
    }
    const sent = headersOf(ask);
    const answer = await transport.send({
      url: ask.url,
      method: ask.method,
      headers: sent,
      body: ask.body,
      timeoutMs: timeoutMs ?? 10_000,
      maxBytes: ask.maxBytes ?? 8e6,
      slowly: ask.slowly ?? false,
    });
    return { ...answer, sent };
  }

  function addedTo(ask: Ask): readonly HeaderLine[] {
    const { headers = [], origins = [] } = parts.added ?? {};
    return headers.length > 0 && origins.includes(new URL(ask.url).origin) ? headers : [];
  }

  function headersOf(ask: Ask): HeaderLine[] {
    const headers: HeaderLine[] = [['user-agent', parts.userAgent], ...ask.headers, ...addedTo(ask)];
    if (ask.credential) headers.push(['authorization', ask.credential.authorization]);
    headers.push(['traceparent', parts.trace.header(parts.trace.next())]);
    return headers;
  }

  async function probe(ask: Ask): Promise<Answer> {
    const answer = await transmit(ask, probeTimeoutMs);
    parts.record(toExchange('probe', { ...ask, surface: 'other' }, answer, 0));
    return answer;
  }

  /** If no request was ever answered, there is nothing to probe with: report the failure itself. */
  async function presenceAfter(ask: Ask, answer: WireAnswer): Promise<Presence> {
    const { origin } = new URL(ask.url);
    if (looksAway(answer))
      return ask.raw === true ? 'present' : ((await watches.get(origin)?.presence(answer.sentAtMs)) ?? 'present');
    if (isSafe(ask) && !watches.has(origin))
      watches.set(
        origin,
        createOutageWatch(() => probe(ask), parts.outage),
      );
    return 'present';
  }

  /** The exchange of an answer, or of an outage, as nothing of what came then is of the service. */
  function asOutage(exchange: Exchange, answer: WireAnswer, kind: 'away' | 'gone'): Exchange {
    const gateway = exchange.response === null ? null : gatewayOf(exchange.response);
    const came =
      gateway !== null
        ? `${gateway} answered ${answer.status} in its place`
        : answer.failure === null
          ? `${answer.status} ${exchange.response?.text?.slice(0, 80).replace(/\s+/g, ' ') ?? ''}`.trim()
          : `${isOfProxy(answer.failure.kind) ? '' : `${answer.failure.kind}: `}${redactor.text(answer.failure.message)}`;
    const message =
      kind === 'away'
        ? came
        : `the target stopped answering at ${exchange.request.method} ${exchange.request.path} (${came}), and did not come back`;
    const cause = answer.failure?.kind;
    return { ...exchange, response: null, failure: { kind, message, ...(cause && { cause }) } };
  }

  function toExchange(asker: string, ask: Ask, answer: Answer, throttled: number): Exchange {
    let failure = answer.failure;
    let body = answer.raw;
    if (failure === null) {
      try {
        body = decodeBody(
          answer.raw,
          answer.headers.find(([name]) => name === 'content-encoding')?.[1],
          ask.maxBytes ?? 8e6,
        );
      } catch (error) {
        failure = {
          kind: 'decoding',
          message: `the body is not what Content-Encoding says: ${error instanceof Error ? error.message : ''}`,
        };
      }
    }
    const clean = redactor.bytes(body);
    const text = decodeText(clean);
    const url = new URL(ask.url);
    const added = addedTo(ask);
    const shown = answer.sent.map((line): HeaderLine => {
      const [name, value] = line;
      if (added.includes(line)) return [name, `[redacted:${parts.added?.markOf(name) ?? ''}]`];
      return name.toLowerCase() === 'authorization'
        ? [name, shownAuthorization(value, ask.credential?.name ?? null)]
        : [name, redactor.text(value)];
    });
    return {
      seq: parts.nextSeq(),
      asker,
      surface: ask.surface,
      request: {
        method: ask.method,
        url: redactor.text(ask.url),
        path: redactor.text(url.pathname + url.search),
        headers: shown,
        body: ask.body === null ? null : redactor.bytes(ask.body),
        credential: ask.credential?.name ?? null,
      },
      response:
        answer.status === 0 || failure !== null
          ? null
          : {
              status: answer.status,
              headers: answer.headers.map(([name, value]) => [name, redactor.text(value)] as const),
              body: clean,
              text,
              json: decodeJson(text),
            },
      failure: failure === null ? null : { ...failure, message: redactor.text(failure.message) },
      sentAtMs: answer.sentAtMs,
      receivedAtMs: answer.receivedAtMs,
      throttled,
    };
  }

  return {
    async send(asker, ask) {
      const { origin } = new URL(ask.url);
      const caller = ask.credential === null ? 'requests without a key' : `requests with ${ask.credential.name}`;
      const bucket = ask.surface === 'demo' || ask.surface === 'sandbox' ? `${caller} to the ${ask.surface}` : caller;
      let lost = 0;
      let outages = 0;
      for (let throttled = 0; ; throttled += 1) {
        if (parts.signal?.aborted) throw new BlockedSignal('the run was interrupted');
        const known = gone.get(origin);
        if (known !== undefined) throw new BlockedSignal(known);
        if (!ask.raw) await pacer.before(bucket);
        const answer = await transmit(ask, ask.timeoutMs);
        const presence = await presenceAfter(ask, answer);
        let exchange = toExchange(asker, ask, answer, throttled);
        const { response } = exchange;
        const isOwn = response !== null && isOwnAnswer(response);
        const isOfGateway = answer.status >= 500 && response !== null && gatewayOf(response) !== null;
        const isLastWord = outages >= mostUndelivered && (isOwn || ask.raw === true);
        const undelivered = (!ask.raw && isUndelivered(answer)) || (isUnheard(answer) && !isLastWord);
        // A service that says so itself, or that asks to come back, has not done what was asked.
        const isBusy = answer.status === 503 && (isOwn || answer.headers.some(([name]) => name === 'retry-after'));
        const repeatable = undelivered || isRepeatable(ask) || isBusy;
        // A gateway, or a busy service, will answer the next request differently; one that does not shows what the service does with this request.
        const repeats = isOfGateway ? mostUndelivered : isGatewayStatus(answer) && (isBusy || !isOwn) ? 1 : 0;
        const passing = !ask.raw && (repeatable ? outages < repeats : isOfGateway);
        // A proxy's failure is no answer of the service, also for a check that takes every answer as it comes.
        const failedAtProxy = ask.raw === true && isOfProxy(answer.failure?.kind) && asker !== 'set-up';
        const away =
          undelivered ||
          failedAtProxy ||
          (presence === 'away' && outages < mostOutages) ||
          (presence === 'present' && passing);
        if (presence === 'gone') exchange = asOutage(exchange, answer, 'gone');
        else if (away) exchange = asOutage(exchange, answer, 'away');
        parts.record(exchange);
        if (presence === 'gone') gone.set(origin, exchange.failure?.message ?? '');
        if (presence === 'gone') continue;
        if (away) {
          if (failedAtProxy || !repeatable || outages >= mostUndelivered) throw new BlockedSignal(awayReason(exchange));
          outages += 1;
          ask.onLost?.(exchange);
          if (presence === 'present') await (parts.outage?.wait ?? sleep)(pauseMs * 2 ** (outages - 1));
          continue;
        }
        const kind = answer.failure?.kind ?? '';
        const tries = ask.raw ? 0 : isSafe(ask) ? (mostTriesMore[kind] ?? 0) : repeatable && kind === 'reset' ? 1 : 0;
        if (lost < tries) {
          lost += 1;
          ask.onLost?.(exchange);
          continue;
        }
        if (ask.raw || answer.status !== 429) {
          pacer.after(bucket, exchange);
          return exchange;
        }
        const reason = await pacer.waitOut(bucket, exchange, throttled - lost - outages);
        if (reason !== null) throw new BlockedSignal(reason);
      }
    },
  };
}
