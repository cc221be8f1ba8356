import { prose } from '../reports/index.js';
import { brief } from '../visible.js';

/** One thing that a submission must satisfy. */
export interface Row {
  readonly what: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly seen: string;
  /** What to do about it. */
  readonly fix: string;
}

const most = 600;
const word = ({ ok }: Row): string => (ok ? 'ok' : 'refused');

/** The conclusion, in a sentence. */
function conclusion(rows: readonly Row[]): string {
  const refused = rows.filter(({ ok }) => !ok);
  return refused.length > 0 ? `Refused: ${refused.map(({ what }) => what).join(', ')}.` : 'Every check passed.';
}

/** The rows for a terminal. */
export function rowsAsText(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => [
    `${word(row).padEnd(12)}${row.what.padEnd(18)}${brief(row.seen, most)}`,
    ...(row.ok
      ? []
      : [`${' '.repeat(30)}expected ${brief(row.expected, most)}`, `${' '.repeat(30)}to do: ${brief(row.fix, most)}`]),
  ]);
  return `${[...lines, conclusion(rows)].join('\n')}\n`;
}

/** The rows as a Markdown table, for a job summary. */
export function rowsAsMarkdown(rows: readonly Row[]): string {
  const cells = rows.map((row) => [word(row), row.what, row.expected, row.seen, row.ok ? '' : row.fix]);
  const lines = cells.map((cell) => `| ${cell.map((one) => prose(one, most)).join(' | ')} |`);
  return [
    '### Registry check',
    '',
    conclusion(rows),
    '',
    '| Result | What | Expected | Seen | What to do |',
    '| --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
