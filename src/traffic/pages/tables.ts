import { type Content, html, type Markup } from '../../reports/index.js';
import { parseThreshold } from '../soak/thresholds.js';

/** A column: its heading, and whether it holds numbers. */
export interface Column {
  readonly name: string;
  readonly number?: true;
}

/** Columns of numbers with these headings. */
export function numberColumns(...names: readonly string[]): Column[] {
  return names.map((name) => ({ name, number: true }));
}

/** A titled table; a row's first cell is its heading. Nothing where there are no rows. */
export function tableMarkup(
  id: string,
  title: string,
  sum: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
): Markup {
  if (rows.length === 0) return html``;
  const kind = (at: number): string => (columns[at]?.number ? 'n' : '');
  const cells = (row: readonly Content[]): Markup[] =>
    row.map((cell, at) =>
      at === 0
        ? html`<th scope="row">${cell}</th>`
        : html`<td class="${kind(at)}" data-label="${columns[at]?.name ?? ''}">${cell}</td>`,
    );
  return html`<section class="block" aria-labelledby="${id}"><h2 id="${id}">${title}<span class="sum">${sum}</span></h2>
<div class="sheet scroll" tabindex="0"><table><thead><tr>${columns.map((column, at) => html`<th scope="col" class="${kind(at)}">${column.name}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody></table></div></section>`;
}

/** A row of figures with their names. */
export function factsMarkup(facts: readonly (readonly [string, string])[]): Markup {
  return html`<section class="block"><dl class="sheet facts-list">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/** A whole number with separators. */
export function whole(value: number): string {
  return value.toLocaleString('en');
}

/** Milliseconds with the digits that matter. */
export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

/** A latency; a dash where none was measured. */
export function latencyText(value: number): string {
  return value === 0 ? '–' : ms(value);
}

/** `200 × 5,000, failed × 3`. */
export function statusesText(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} × ${whole(count)}`)
    .join(', ');
}

/** The figure that a threshold is about, in its unit. */
export function thresholdText(text: string, value: number): string {
  return parseThreshold(text).measure.kind === 'errors' ? `${(100 * value).toFixed(3)} %` : ms(value);
}
