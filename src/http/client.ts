import type { Exchange, HeaderLine, Surface } from './exchange.js';
import { decodeBody, decodeJson, decodeText } from './decode-body.js';
import type { Pacer } from './pacer.js';
import type { Redactor } from './redactor.js';
import { shownAuthorization } from './shown-authorization.js';
import { BlockedSignal } from './signals.js';
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
}

/** Sends, waits out 429, asks again where the answer to a safe request was lost, redacts and records: exactly one exchange for every request on the wire. */
export interface Client {
  send(asker: string, ask: Ask): Promise<Exchange>;
  /** Why the target is taken to be gone, or null. */
  readonly gone: string | null;
}

const fatalAfter: Readonly<Partial<Record<string, number>>> = { refused: 2, dns: 1, tls: 1, timeout: 4, reset: 18 };
/** How often what was lost is asked for again; a connection that is cut costs less than one that stays silent. */
const mostTriesMore: Readonly<Partial<Record<string, number>>> = { reset: 2, timeout: 1 };

/** Whether it changes nothing to ask again (RFC 9110 §9.2.2). */
function isSafe(ask: Ask): boolean {
  return (ask.method === 'GET' || ask.method === 'HEAD') && ask.body === null;
}

/** A client over `transport`; `record` gets every exchange once, already redacted. */
export function createClient(parts: {
  readonly transport: Transport;
  readonly redactor: Redactor;
  readonly pacer: Pacer;
  readonly record: (exchange: Exchange) => void;
  readonly userAgent: string;
  readonly nextSeq: () => number;
}): Client {
  const { transport, redactor, pacer } = parts;
  let gone: string | null = null;
  let answered = false;
  const inARow = new Map<string, number>();

  function note(answer: WireAnswer): void {
    if (answer.failure === null || answer.status > 0) {
      answered = true;
      inARow.clear();
      return;
    }
    const kind = answer.failure.kind;
    const count = (inARow.get(kind) ?? 0) + 1;
    inARow.set(kind, count);
    // A target that never said a word is given up sooner than one that was there a moment ago.
    const patience = kind === 'timeout' && !answered ? 2 : (fatalAfter[kind] ?? Infinity);
    if (count >= patience) {
      gone = `the target stopped answering (${kind}: ${redactor.text(answer.failure.message)}; ${count} in a row)`;
    }
  }

  function toExchange(
    asker: string,
    ask: Ask,
    headers: readonly HeaderLine[],
    answer: WireAnswer,
    throttled: number,
  ): Exchange {
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
    const shown = headers.map(([name, value]): HeaderLine =>
      name.toLowerCase() === 'authorization'
        ? [name, shownAuthorization(value, ask.credential?.name ?? null)]
        : [name, redactor.text(value)],
    );
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
      failure: failure === null ? null : { kind: failure.kind, message: redactor.text(failure.message) },
      sentAtMs: answer.sentAtMs,
      receivedAtMs: answer.receivedAtMs,
      throttled,
    };
  }

  return {
    get gone() {
      return gone;
    },
    async send(asker, ask) {
      const headers: HeaderLine[] = [['user-agent', parts.userAgent], ...ask.headers];
      if (ask.credential) headers.push(['authorization', ask.credential.authorization]);
      const bucket = `${ask.credential?.name ?? 'nobody'} ${ask.surface === 'demo' || ask.surface === 'sandbox' ? ask.surface : 'production'}`;
      let lost = 0;
      for (let throttled = 0; ; throttled += 1) {
        if (gone !== null) throw new BlockedSignal(gone);
        if (!ask.raw) await pacer.before(bucket);
        const answer = await transport.send({
          url: ask.url,
          method: ask.method,
          headers,
          body: ask.body,
          timeoutMs: ask.timeoutMs ?? 10_000,
          maxBytes: ask.maxBytes ?? 8e6,
          slowly: ask.slowly ?? false,
        });
        note(answer);
        const exchange = toExchange(asker, ask, headers, answer, throttled);
        parts.record(exchange);
        const tries = isSafe(ask) && !ask.raw ? (mostTriesMore[answer.failure?.kind ?? ''] ?? 0) : 0;
        if (lost < tries && gone === null) {
          lost += 1;
          continue;
        }
        if (ask.raw || answer.status !== 429) {
          pacer.after(bucket, exchange);
          return exchange;
        }
        const reason = await pacer.waitOut(bucket, exchange, throttled);
        if (reason !== null) throw new BlockedSignal(reason);
      }
    },
  };
}
