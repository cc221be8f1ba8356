import { randomUUID } from 'node:crypto';
import {
  createTransport,
  type Exchange,
  type Failure,
  type HeaderLine,
  isUndelivered,
  type TraceContext,
} from '../http/index.js';
import type { Observation } from '../requirement/index.js';
import type { Check } from '../run/index.js';
import type { Network } from '../settings/index.js';
import { hmacSha256, likelyForms, signingForms, type SigningForm } from './signatures/signature-forms.js';

/** A delivery to a receiver. */
interface Sent {
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

/** The answer of a receiver: a status, or the reason that there was none. */
interface ReceiverAnswer {
  readonly status: number | null;
  readonly failure: Failure | null;
  /** The recorded exchange. */
  readonly exchange?: Exchange;
}

type SendDelivery = (sent: Sent) => Promise<ReceiverAnswer>;

/** The settings of a receiver. */
interface ReceiverSettings {
  readonly secret: string;
  readonly header: string;
  readonly otherSecret?: string | null;
  /** Sends the deliveries that are judged; the search for the receiver's form is sent plainly, as it is no evidence. */
  readonly send?: SendDelivery;
  readonly timeoutMs?: number;
  readonly network?: Network;
  readonly trace?: TraceContext;
}

/** The results for a receiver. */
export interface ReceiverReport {
  /** Why it could not be judged to the end, or null. */
  readonly blocked: string | null;
  readonly findings: readonly {
    readonly code: string;
    readonly field?: string;
    readonly expected: string;
    readonly actual: string;
    readonly exchanges: readonly Exchange[];
  }[];
  readonly observations: readonly Observation[];
}

const isAccepted = ({ status }: ReceiverAnswer): boolean => status !== null && status >= 200 && status < 300;
const say = ({ status, failure }: ReceiverAnswer): string =>
  status === null ? `no answer (${failure?.message ?? 'unknown'})` : `answered ${status}`;

/** A form in which the receiver expects a signature; the specification shows neither the encoding nor the layout of an event (§5.6, §6). */
interface Form extends SigningForm {
  /** A `deal.funded` event that no other is equal to, as JSON. */
  readonly body: () => string;
}

const layouts: readonly ((id: string, deal: object) => Record<string, unknown>)[] = [
  (id, deal) => ({ id, type: kind, event: kind, kind, name: kind, createdAt: now(), data: { ...deal, deal }, deal }),
  (id, deal) => ({ id, type: kind, createdAt: now(), data: deal }),
  (id, deal) => ({ event: { id, type: kind, createdAt: now() }, data: { deal } }),
  (_id, deal) => ({ event: kind, ...deal }),
];
const kind = 'deal.funded';
const now = (): string => new Date().toISOString();

/** The likely forms first. A receiver that reads only some layouts is tried with the likely signatures of the others. */
function formsOf(secret: string): Form[] {
  const signatures = signingForms(secret);
  return layouts.flatMap((layout, at) => {
    const deal = (): object => ({ id: `deal_${randomUUID().slice(0, 8)}`, totalGross: 41_250.5 });
    const body = (): string => JSON.stringify(layout(`evt_${randomUUID()}`, deal()));
    return (at === 0 ? signatures : signatures.slice(0, likelyForms)).map((one) => ({ ...one, body }));
  });
}

/** What may be wrong with a delivery. */
interface Flaws {
  readonly key?: Buffer;
  /** The text that the signature is computed over; the body unless given. */
  readonly over?: string;
  readonly change?: (signature: string) => string;
  readonly unsigned?: true;
}

/** Signs a body in the receiver's form, but for the flaws. */
function sign(form: Form, header: string, body: string, { key, over, change, unsigned }: Flaws = {}): Sent {
  const text = form.write(hmacSha256(key ?? form.key, Buffer.from(over ?? body)));
  const label = form.label.replace('{time}', String(Math.floor(Date.now() / 1_000)));
  const own: HeaderLine[] = unsigned ? [] : [[header, label + (change?.(text) ?? text)]];
  return { body: Buffer.from(body), headers: [['content-type', 'application/json'], ...own] };
}

/** Deliveries that a receiver must refuse. */
function wrongDeliveries(form: Form, header: string, otherSecret: string | null): (readonly [string, Sent])[] {
  const [body, text] = [form.body(), form.body()];
  const indented = JSON.stringify(JSON.parse(text), null, 2);
  const key = Buffer.from(otherSecret ?? 'not-the-secret-of-any-tenant-3141592653');
  return [
    ['a changed body', sign(form, header, body.replaceAll('41250.5', '91250.5'), { over: body })],
    ['a signature with another secret', sign(form, header, form.body(), { key })],
    ['no signature', sign(form, header, form.body(), { unsigned: true })],
    ['half a signature', sign(form, header, form.body(), { change: (whole) => whole.slice(0, whole.length >> 1) })],
    ['a signature over the same JSON in another spelling', sign(form, header, indented, { over: text })],
  ];
}

function plainSend(
  url: string,
  timeoutMs: number,
  { network, trace }: ReceiverSettings,
): { send: SendDelivery; close(): Promise<void> } {
  const transport = createTransport(network);
  return {
    async send({ headers: own, body }) {
      const headers: HeaderLine[] = [...own];
      if (trace !== undefined) headers.push(['traceparent', trace.header(trace.next())]);
      const answer = await transport.send({ url, method: 'POST', headers, body, timeoutMs, maxBytes: 1e6 });
      return { status: answer.status === 0 ? null : answer.status, failure: answer.failure };
    },
    close: () => transport.close(),
  };
}

/** An event whose digest has a character that tells base64 from base64url: without one, a receiver of either accepts both. */
function tellingBody({ body, key }: Form): string {
  for (;;) {
    const text = body();
    if (/[+/]/.test(hmacSha256(key, Buffer.from(text)).toString('base64'))) return text;
  }
}

/** How many unanswered deliveries end the search. */
const mostSilent = 40;

/** The form in which the receiver accepts an event, or why none was found. */
async function findForm(
  send: SendDelivery,
  { secret, header }: ReceiverSettings,
): Promise<{ readonly form: Form } | { readonly blocked: string } | { readonly refused: string }> {
  const statuses = new Map<string, number>();
  let silent = 0;
  for (const form of formsOf(secret)) {
    const answer = await send(sign(form, header, tellingBody(form)));
    const { status, failure } = answer;
    if (isAccepted(answer)) return { form };
    if (status === 429 || status === 503) return { blocked: `the receiver is too busy to be judged (${say(answer)})` };
    statuses.set(say(answer), (statuses.get(say(answer)) ?? 0) + 1);
    silent = status === null ? silent + 1 : 0;
    const isUnreachable = failure?.kind === 'timeout' || isUndelivered({ status: 0, failure });
    if (status === null && (isUnreachable || silent >= mostSilent))
      return { blocked: `the receiver does not answer: ${failure?.message ?? ''}` };
  }
  return { refused: [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ') };
}

/**
 * Certifies a receiver (HOOK-08): finds a correctly signed delivery that it accepts (2xx), then sends deliveries that it must refuse. A
 * correctly signed one before and after them shows that it still accepts.
 */
export async function certifyReceiver(url: string, settings: ReceiverSettings): Promise<ReceiverReport> {
  const plain = plainSend(url, settings.timeoutMs ?? 10_000, settings);
  const none = { blocked: null, findings: [], observations: [] };
  try {
    const found = await findForm(plain.send, settings);
    if ('blocked' in found) return { ...none, ...found };
    const expected = 'a correctly signed event to be accepted (2xx) in some known encoding';
    if ('refused' in found)
      return { ...none, findings: [{ code: 'right-refused', expected, actual: found.refused, exchanges: [] }] };
    return await judgeRefusals(settings.send ?? plain.send, found.form, settings);
  } finally {
    await plain.close();
  }
}

async function judgeRefusals(send: SendDelivery, form: Form, settings: ReceiverSettings): Promise<ReceiverReport> {
  const { header, otherSecret = null } = settings;
  const findings: ReceiverReport['findings'][number][] = [];
  const question = 'Which form of signature does the receiver accept?';
  const right = async (): Promise<string | null> => {
    const answer = await send(sign(form, header, form.body()));
    return isAccepted(answer) ? null : `the receiver stopped accepting correctly signed events: ${say(answer)}`;
  };
  let blocked = await right();
  for (const [flaw, sent] of blocked === null ? wrongDeliveries(form, header, otherSecret) : []) {
    const answer = await send(sent);
    const exchanges = answer.exchange === undefined ? [] : [answer.exchange];
    const expected = `a delivery with ${flaw} to be refused`;
    if (isAccepted(answer))
      findings.push({ code: 'wrong-taken', field: flaw, expected, actual: say(answer), exchanges });
  }
  blocked ??= await right();
  return { blocked, findings, observations: [{ id: 'HOOK-08', question, observed: form.name }] };
}

/** Certifies a receiver with deliveries that stand in the evidence; the report is kept with it. */
export function certifyRecorded(check: Check, url: string, secret: string): Promise<ReceiverReport> {
  const { origin: base, pathname, search } = new URL(url);
  const { otherSigningSecret: otherSecret, signatureHeader: header, network } = check.target;
  const { trace } = check.run;
  const send: SendDelivery = async (sent) => {
    const path = pathname + search;
    const exchange = await check.send({ ...sent, method: 'POST', base, path, surface: 'other', as: null, raw: true });
    return { status: exchange.response?.status ?? null, failure: exchange.failure, exchange };
  };
  return check.recorded('certified receiver', () =>
    certifyReceiver(url, { secret, otherSecret, header, send, network, trace }),
  );
}
