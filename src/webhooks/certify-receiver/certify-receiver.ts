import { randomUUID } from 'node:crypto';
import type { Exchange, HeaderLine } from '../../http/exchange.js';
import type { TraceContext } from '../../http/trace-context.js';
import { createTransport } from '../../http/transport.js';
import type { Check } from '../../run/check.js';
import type { Network } from '../../settings/target.js';
import type { Observation } from '../../requirement/types.js';
import { receiverBattery, signed, type CaseTools, type Sent } from './receiver-battery.js';
import { receiverForms, type ReceiverForm } from './receiver-forms.js';
import { eventLayouts, sampleEvent, type EventLayout } from './sample-event.js';

/** The answer of a receiver: a status, or the reason that there was none. */
export interface ReceiverAnswer {
  readonly status: number | null;
  readonly failure: string | null;
  /** The recorded exchange. */
  readonly exchange?: Exchange;
}

/** Sends one delivery to the receiver. */
export type SendDelivery = (sent: Sent) => Promise<ReceiverAnswer>;

/** The settings of a receiver. */
export interface ReceiverSettings {
  readonly secret: string;
  readonly header: string;
  readonly otherSecret?: string | null;
  /** Sends the battery; the search for the receiver's form is sent plainly, as it is no evidence. */
  readonly send?: SendDelivery;
  readonly timeoutMs?: number;
  readonly network?: Network;
  readonly trace?: TraceContext;
}

/** One thing that a receiver does wrong. */
export interface ReceiverFinding {
  readonly severity: 'fail' | 'warn';
  /** The case of the battery. */
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  readonly exchanges: readonly Exchange[];
}

/** The results for a receiver. */
export interface ReceiverReport {
  /** Why it could not be judged to the end, or null. */
  readonly blocked: string | null;
  readonly findings: readonly ReceiverFinding[];
  readonly observations: readonly Observation[];
  /** The form of signature that it accepts, or null. */
  readonly form: string | null;
  readonly cases: number;
}

const acceptedBy = (answer: ReceiverAnswer): boolean =>
  answer.status !== null && answer.status >= 200 && answer.status < 300;
const overloaded = (answer: ReceiverAnswer): boolean => answer.status === 429 || answer.status === 503;
const say = (answer: ReceiverAnswer): string =>
  answer.status === null ? `no answer (${answer.failure ?? 'unknown'})` : `answered ${answer.status}`;

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
      return { status: answer.status === 0 ? null : answer.status, failure: answer.failure?.message ?? null };
    },
    close: () => transport.close(),
  };
}

function toolsFor(form: ReceiverForm, layout: EventLayout, settings: ReceiverSettings): CaseTools {
  return {
    form,
    header: settings.header,
    otherSecret: settings.otherSecret ?? null,
    event: (note = 'plain') => sampleEvent(layout, note),
    stamp: () => ({ time: String(Math.floor(Date.now() / 1_000)), id: `msg_${randomUUID()}` }),
  };
}

interface Found {
  readonly tools: CaseTools | null;
  readonly blocked: string | null;
  readonly statuses: string;
}

/** Looks for a form of signature, and a layout of the event, that the receiver accepts. */
async function findForm(send: SendDelivery, settings: ReceiverSettings): Promise<Found> {
  const statuses = new Map<string, number>();
  const ended = (tools: CaseTools | null, blocked: string | null): Found => ({
    tools,
    blocked,
    statuses: [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
  });
  let silent = 0;
  for (const [at, layout] of eventLayouts.entries()) {
    for (const form of receiverForms(settings.secret).filter((one, index) => at === 0 || index < 16 || !one.raw)) {
      const tools = toolsFor(form, layout, settings);
      const answer = await send(signed(tools, JSON.stringify(tools.event())));
      if (acceptedBy(answer)) return ended(tools, null);
      if (overloaded(answer)) return ended(null, `the receiver is too busy to be judged (${say(answer)})`);
      statuses.set(say(answer), (statuses.get(say(answer)) ?? 0) + 1);
      silent = answer.status === null ? silent + 1 : 0;
      const unreachable =
        answer.failure !== null &&
        /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|no complete answer|certificate|^the proxy /i.test(answer.failure);
      if (answer.status === null && (unreachable || silent >= 40))
        return ended(null, `the receiver does not answer: ${answer.failure ?? ''}`);
    }
  }
  return ended(null, null);
}

/**
 * Certifies a receiver (HOOK-08): finds a correctly signed delivery that it accepts, then holds it to a battery in which every
 * delivery that has to be refused follows a correctly signed twin that was accepted. Accepted means 2xx.
 */
export async function certifyReceiver(url: string, settings: ReceiverSettings): Promise<ReceiverReport> {
  const timeoutMs = settings.timeoutMs ?? 10_000;
  const plain = plainSend(url, timeoutMs, settings);
  try {
    const found = await findForm(plain.send, settings);
    if (found.tools === null) {
      const refused: ReceiverFinding = {
        severity: 'fail',
        name: 'a correctly signed event',
        expected: 'a correctly signed event to be accepted (2xx) in some known encoding',
        actual: `no correctly signed event accepted: ${found.statuses}`,
        exchanges: [],
      };
      const { blocked } = found;
      return { blocked, findings: blocked === null ? [refused] : [], observations: [], form: null, cases: 0 };
    }
    return await runBattery(settings.send ?? plain.send, plain.send, found.tools, found.statuses);
  } finally {
    await plain.close();
  }
}

/** Certifies a receiver with deliveries that stand in the evidence; the report is kept with it. */
export function certifyRecorded(check: Check, url: string, secret: string): Promise<ReceiverReport> {
  const { origin: base, pathname, search } = new URL(url);
  const { otherSigningSecret: otherSecret, signatureHeader: header, network } = check.target;
  const { trace } = check.run;
  const send: SendDelivery = async (sent) => {
    const path = pathname + search;
    const exchange = await check.send({ ...sent, method: 'POST', base, path, surface: 'other', as: null, raw: true });
    return { status: exchange.response?.status ?? null, failure: exchange.failure?.message ?? null, exchange };
  };
  return check.recorded('certified receiver', () =>
    certifyReceiver(url, { secret, otherSecret, header, send, network, trace }),
  );
}

async function runBattery(
  send: SendDelivery,
  plain: SendDelivery,
  tools: CaseTools,
  tried: string,
): Promise<ReceiverReport> {
  const findings: ReceiverFinding[] = [];
  const observations: Observation[] = [];
  const observe = (question: string, observed: string): void =>
    void observations.push({ id: 'HOOK-08', question, observed });
  observe('Which form of signature does the receiver accept?', tools.form.name);
  const crashed: string[] = [];
  const battery = receiverBattery(tools);
  const report = (blocked: string | null, cases: number): ReceiverReport => ({
    blocked,
    findings,
    observations,
    form: tools.form.name,
    cases,
  });
  const find = (
    severity: ReceiverFinding['severity'],
    name: string,
    expected: string,
    actual: string,
    answers: readonly (ReceiverAnswer | null)[] = [],
  ): void =>
    void findings.push({ severity, name, expected, actual, exchanges: answers.flatMap((one) => one?.exchange ?? []) });
  const stillAccepts = async (): Promise<boolean> =>
    acceptedBy(await plain(signed(tools, JSON.stringify(tools.event()))));
  if (!tools.form.raw)
    find(
      'fail',
      'the message signed',
      'a signature over the raw body alone to be accepted (§5.6)',
      `only accepted: ${tools.form.name}${tried === '' ? '' : `; before that: ${tried}`}`,
    );
  for (const [at, one] of battery.entries()) {
    const { sent, twin } = one.make(tools);
    const severity = one.expected === 'refuse' ? 'fail' : 'warn';
    const first = twin === null ? null : await send(twin);
    if (first !== null && !acceptedBy(first) && !(await stillAccepts())) {
      return report(`the receiver stopped accepting correctly signed events before "${one.name}": ${say(first)}`, at);
    }
    if (first !== null && !acceptedBy(first) && !acceptedBy(await send(one.make(tools).twin ?? sent))) {
      const expected = 'the correctly signed twin of this case to be accepted';
      find(severity, one.name, expected, `it was ${say(first)}`, [first]);
      continue;
    }
    let answer = await send(sent);
    if (one.expected === 'accept' && !acceptedBy(answer)) answer = await send(one.make(tools).sent);
    if (overloaded(answer)) return report(`the receiver is too busy to be judged: ${say(answer)} to "${one.name}"`, at);
    if (one.expected === 'observe') {
      observe(`Does the receiver accept this: ${one.name}?`, acceptedBy(answer) ? 'yes' : `no: ${say(answer)}`);
    } else if (one.expected === 'accept') {
      if (acceptedBy(answer)) continue;
      if (!(await stillAccepts()))
        return report(`the receiver stopped accepting correctly signed events at "${one.name}": ${say(answer)}`, at);
      find('fail', one.name, `${one.name}, correctly signed, to be accepted (2xx)`, say(answer), [answer]);
    } else if (acceptedBy(answer)) {
      const expected = `a delivery with ${one.name} to be refused`;
      find(severity, one.name, expected, `it was ${say(answer)}`, [first, answer]);
    } else if (answer.status === null || answer.status >= 500 || answer.status < 400)
      crashed.push(`${one.name}: ${say(answer)}`);
  }
  if (crashed.length > 0)
    find(
      'warn',
      'the manner of refusing',
      'a 4xx to a delivery that is refused',
      `${crashed.slice(0, 3).join('; ')}${crashed.length > 3 ? `; and ${crashed.length - 3} more` : ''}`,
    );
  const replayed = signed(tools, JSON.stringify(tools.event()));
  const [once, again] = [await send(replayed), await send(replayed)];
  observe(
    'Is the very same delivery accepted twice?',
    acceptedBy(once) && acceptedBy(again) ? 'yes' : `no: ${say(again)}`,
  );
  observe(
    'Does the receiver compare signatures in constant time?',
    'not observable: over a network the differences, nanoseconds a byte, drown in the spread of the answer times; read its source',
  );
  return report(null, battery.length);
}
