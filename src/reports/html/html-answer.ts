import type { Exchange } from '../../http/index.js';
import { child } from '../../openapi/index.js';
import type { Finding } from '../../requirement/index.js';
import { html, shown, type Markup } from './html-markup.js';

const linesAround = 2;
const mostLine = 160;
/** Deeper nesting stands on one line. */
const deepest = 12;

/** A JSON value by line, each with the JSON Pointer of the value that begins there. */
function linesOf(value: unknown, pointer = '', depth = 0): { readonly text: string; readonly pointer: string }[] {
  const isObject = typeof value === 'object' && value !== null;
  const inner = isObject && depth < deepest ? Object.entries(value) : [];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (inner.length === 0)
    return [{ text: !isObject ? JSON.stringify(value) : depth < deepest ? `${open}${close}` : '…', pointer }];
  const lines = inner.flatMap(([name, one], at) =>
    linesOf(one, child(pointer, name), depth + 1).map((line, nth, { length }) => ({
      ...line,
      text: `  ${nth === 0 && open === '{' ? `${JSON.stringify(name)}: ` : ''}${line.text}${nth === length - 1 && at < inner.length - 1 ? ',' : ''}`,
    })),
  );
  return [{ text: open ?? '', pointer }, ...lines, { text: close ?? '', pointer }];
}

/** The lines of the answer that a finding is about around the wrong one, that marked, and where it stands; else how its last answer begins. */
export function answerLines({ part }: Finding, exchanges: readonly Exchange[]): Markup | null {
  const answered = exchanges.findLast(({ response }) => response !== null);
  const { seq, response } = exchanges.find((one) => String(one.seq) === part?.exchange) ?? answered ?? {};
  if (seq === undefined || !response) return null;
  const { header, pointer } = part ?? {};
  const { json, text } = response;
  const body = json === undefined ? (text ?? '').split('\n').map((one) => ({ text: one, pointer: '' })) : linesOf(json);
  const status = { text: `HTTP ${response.status}`, pointer: '' };
  const headers = response.headers.flatMap(([name, value]) =>
    name === header ? { text: `${name}: ${value}`, pointer: '' } : [],
  );
  // Of what is missing, the object that lacks it.
  const wrongIn = (at: string): number => {
    const line = body.findIndex((one) => one.pointer === at);
    return line >= 0 || at === '' ? line : wrongIn(at.slice(0, at.lastIndexOf('/')));
  };
  const lines = pointer === undefined ? [status, ...headers, ...body] : body;
  const isMissing = part === undefined || (header !== undefined && headers.length === 0);
  const wrong = isMissing ? -1 : pointer === undefined ? headers.length : wrongIn(pointer);
  const from = Math.max(0, wrong - linesAround);
  const rows = lines.slice(from, from + 2 * linesAround + 1).map(({ text }, at) => {
    const isWrong = from + at === wrong;
    const line = html`${isWrong ? '> ' : '  '}${shown(text, mostLine, true)}\n`;
    return isWrong ? html`<mark>${line}</mark>` : line;
  });
  const where = pointer === undefined ? null : html`, at <code>${shown(pointer, mostLine)}</code>`;
  return html`<div class="command answer"><div class="bar"><span>Answer ${response.status} of <a href="#exchange-${seq}">exchange ${seq}</a>${where}</span></div><pre>${rows}</pre></div>`;
}
