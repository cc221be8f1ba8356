import { createRedactor } from '../../http/redactor.js';
import { createTransport, type Transport } from '../../http/transport.js';
import type { Target } from '../../settings/target.js';
import { brief } from '../../reports/visible.js';
import { version } from '../../version.js';

/** What a notification says of a load run. */
export interface Notice {
  readonly target: string;
  readonly plan: string;
  readonly outcome: string;
  readonly exitStatus: number;
  /** One sentence for each thing that happened. */
  readonly happened: readonly string[];
}

const limitMs = 10_000;
const tries = 2;
const mostEvents = 20;

/** In Slack's markup, text of a service can be neither a link nor a mention. */
function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The JSON that is sent: fields for programs, and `text` as Slack and services like it show it. */
function bodyOf({ target, plan, outcome, exitStatus, happened }: Notice, redact: (text: string) => string): string {
  const shown = (text: string): string => brief(redact(text), 600);
  const events = happened.slice(0, mostEvents).map(shown);
  const head = `Load of ${shown(target)}, ${shown(plan)}: ${shown(outcome)} (exit status ${exitStatus})`;
  const text = [head, ...events.map((event) => `• ${event}`)].map(plain).join('\n');
  return JSON.stringify({ text, target: shown(target), plan, outcome, exitStatus, happened: events });
}

/** Sends a body once; null where it was accepted, else why not. Never quotes the address, which is a secret. */
async function post(transport: Transport, url: string, body: string, timeoutMs: number): Promise<string | null> {
  const headers = [
    ['content-type', 'application/json'],
    ['user-agent', `dealership-conformance/${version}`],
  ] as const;
  const wire = { url, method: 'POST', headers, body: Buffer.from(body), timeoutMs, maxBytes: 1e6 };
  const { status, failure } = await transport.send(wire);
  if (failure === null) return status >= 200 && status < 300 ? null : `it answers ${status}`;
  return failure.kind === 'timeout' ? `no answer within ${timeoutMs / 1000} s` : `no answer: ${failure.kind}`;
}

/** Sends what happened to NOTIFY_URL, where it is set and something happened. A failure is one line to `warn`, and changes nothing else. */
export async function notify(
  { notifyUrl, secrets, network }: Pick<Target, 'notifyUrl' | 'secrets' | 'network'>,
  notice: Notice,
  warn: (line: string) => void,
  timeoutMs = limitMs,
): Promise<void> {
  if (notifyUrl === null || notice.happened.length === 0) return;
  const redactor = createRedactor();
  for (const [name, value] of secrets) redactor.add(name, value);
  const body = bodyOf(notice, (text) => redactor.text(text));
  // Through the proxy, too, but the client certificate is for the service alone.
  const transport = createTransport({ ...network, tls: null });
  let why: string | null = null;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    why = await post(transport, notifyUrl, body, timeoutMs);
    if (why === null) break;
  }
  await transport.close();
  if (why === null) return;
  warn(`The notification to NOTIFY_URL was not accepted (${why}); the exit status stays as it is.`);
}
