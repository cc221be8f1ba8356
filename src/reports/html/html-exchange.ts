import { decodeText, type Exchange, type HeaderLine } from '../../http/index.js';
import { html, shown, type Markup } from './html-markup.js';

const mostBody = 4_096;
const mostHeaders = 40;
const mostHeader = 512;
const mostUrl = 1_024;

function size(bytes: number): string {
  return `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

/** Deeper nesting is not indented further, so that no document can blow up. */
const deepest = 12;

/** JSON text laid out for reading: every token stays as it was written (number spelling, duplicate names), only white space changes. */
function layOut(json: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(Math.max(depth, 0), deepest))}`;
  return json.replace(/"(?:[^"\\]|\\.)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/gs, (token) => {
    if (token.startsWith('"')) return token;
    if (token.length > 1 || /\s/.test(token)) return token.replace(/\s/g, '');
    if (token === ':') return ': ';
    depth += '{['.includes(token) ? 1 : '}]'.includes(token) ? -1 : 0;
    return '}]'.includes(token) ? line() + token : token + line();
  });
}

function bodyMarkup(body: Buffer | null): Markup {
  if (body === null) return html`<p class="quiet">No body</p>`;
  if (body.length === 0) return html`<p class="quiet">Empty body</p>`;
  const cut = body.length > mostBody;
  const decoded = decodeText(body);
  const whole = decoded ?? body.toString('latin1');
  const looksJson = /^\s*[[{]/.test(whole);
  const text = whole.slice(0, mostBody);
  const note = `Body, ${size(body.length)}${decoded === null ? ', not UTF-8, shown as Latin-1' : ''}${cut ? `, of which the first ${mostBody.toLocaleString('en')} characters:` : ''}`;
  const cutMark = cut ? html`<span class="cut">… cut here; the evidence holds the rest</span>` : null;
  return html`<p class="quiet">${note}</p><pre>${shown(looksJson ? layOut(text) : text, mostBody * 4, true)}${cutMark}</pre>`;
}

function headersMarkup(lines: readonly HeaderLine[]): Markup {
  const rows = lines.slice(0, mostHeaders).map(
    ([name, value]) => html`<span class="h">${shown(name, 128)}</span>: ${shown(value, mostHeader)}
`,
  );
  const more = lines.length - mostHeaders;
  return html`<pre class="headers">${rows}${more > 0 ? html`<span class="cut">… ${more} more headers</span>` : null}</pre>`;
}

function answerMarkup(exchange: Exchange): Markup {
  const { response, failure } = exchange;
  if (response === null)
    return html`<p>No usable answer: <strong>${failure?.kind ?? 'nothing'}</strong> ${shown(failure?.message ?? '', 500)}</p>`;
  return html`${headersMarkup(response.headers)}${bodyMarkup(response.body)}`;
}

/** One exchange, folded: the request line and status, inside them headers and bodies, cut to about 4 KB each. */
export function exchangeMarkup(name: string, exchange: Exchange): Markup {
  const { request, response, failure } = exchange;
  const status = response === null ? (failure?.kind ?? 'no answer') : String(response.status);
  const kind = response === null ? 'none' : `s${String(response.status).charAt(0)}`;
  const tookMs = exchange.receivedAtMs - exchange.sentAtMs;
  return html`<details class="exchange" id="exchange-${name}">
<summary><span class="status ${kind}">${status}</span> <code>${shown(request.method, 40)} ${shown(request.path, 160)}</code> <span class="quiet">exchange ${name}, ${tookMs.toFixed(1)} ms</span></summary>
<div class="halves">
<div><p class="half">Request</p><pre class="headers">${shown(request.method, 40)} ${shown(request.url, mostUrl)}
</pre>${headersMarkup(request.headers)}${bodyMarkup(request.body)}</div>
<div><p class="half">Answer <span class="status ${kind}">${status}</span>${exchange.throttled > 0 ? html` <span class="quiet">after ${exchange.throttled} that said 429 or were lost</span>` : null}</p>${answerMarkup(exchange)}</div>
</div>
</details>`;
}
