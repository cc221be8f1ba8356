import { decodeText, type Exchange } from '../../http/index.js';
import type { Finding } from '../../requirement/index.js';
import { layOut } from './html-exchange.js';
import { html, shown, type Markup } from './html-markup.js';

/** Longer answers are searched only so far. */
const mostSearched = 262_144;
const linesAround = 2;
const mostLine = 160;

/** Laid-out JSON by line, each with the JSON Pointer of the value that begins there. */
function linesOf(body: Buffer): { readonly text: string; readonly pointer: string }[] {
  const open: { readonly pointer: string; next: number }[] = [];
  return layOut((decodeText(body) ?? '').slice(0, mostSearched))
    .split('\n')
    .map((text) => {
      const line = text.trim();
      const inside = open.at(-1);
      if (/^[}\]]/.test(line)) return { text, pointer: open.pop()?.pointer ?? '' };
      const name = /^"((?:[^"\\]|\\.)*)": /.exec(line)?.[1]?.replace(/~/g, '~0').replace(/\//g, '~1');
      const pointer = inside === undefined ? '' : `${inside.pointer}/${name ?? inside.next++}`;
      if (/[{[]$/.test(line)) open.push({ pointer, next: 0 });
      return { text, pointer };
    });
}

/** Where `actual` names a pointer, a position in a list, or a value of the answer: the line that it names most exactly; else -1. */
function wrongLine({ actual, expected }: Finding, lines: ReturnType<typeof linesOf>): number {
  const at = /\bitem (\d+)\b/.exec(actual)?.[1];
  const pointers: readonly string[] = actual.match(/(?<![\w/])(?:\/[^\s/"',:;()]+)+/g) ?? [];
  const values = (actual.match(/"(?:[^"\\]|\\.)+"|[\w-]{8,}/g) ?? [])
    .map((value) => (value.startsWith('"') ? value : `"${value}"`))
    .filter((value) => !expected.includes(value));
  const scores = lines.map(({ text, pointer }) => {
    if (pointer !== '' && pointers.includes(pointer)) return 9;
    const value = values.findLastIndex((one) => text.includes(one));
    return value < 0 ? 0 : 1 + value / values.length + (pointer.includes(`/${at}/`) ? 1 : 0);
  });
  const best = Math.max(...scores);
  return best === 0 ? -1 : scores.indexOf(best);
}

/** The lines of an answer around the one that a finding names, that marked, with its JSON Pointer; else how its last answer begins. */
export function answerLines(finding: Finding, exchanges: readonly Exchange[]): Markup | null {
  const answers = exchanges.flatMap(({ seq, response }) => {
    const lines = response?.body.length ? linesOf(response.body) : [];
    return response === null ? [] : [{ seq, status: response.status, lines, wrong: wrongLine(finding, lines) }];
  });
  const answer = answers.findLast(({ wrong }) => wrong >= 0) ?? answers.at(-1);
  if (answer === undefined) return null;
  const { seq, status, lines, wrong } = answer;
  const from = Math.max(0, wrong - linesAround);
  const rows = lines.slice(from, from + 2 * linesAround + 1).map(({ text }, at) => {
    const isWrong = from + at === wrong;
    const line = html`${isWrong ? '> ' : '  '}${shown(text, mostLine, true)}\n`;
    return isWrong ? html`<mark>${line}</mark>` : line;
  });
  const where = wrong < 0 ? null : html`, at <code>${shown(lines[wrong]?.pointer ?? '', mostLine)}</code>`;
  return html`<div class="command answer"><div class="bar"><span>Answer ${status} of <a href="#exchange-${seq}">exchange ${seq}</a>${where}</span></div><pre>${rows}</pre></div>`;
}
