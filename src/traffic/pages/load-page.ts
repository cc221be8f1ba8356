import { blockMarkup, html, type Markup, shown } from '../../reports/index.js';
import { parseThreshold } from '../soak/figures.js';

/** Colours by meaning; each is one of the page's named colours. */
export type SeriesColour = 'accepted' | 'refused' | 'other' | 'first' | 'second' | 'third' | 'plain';

/** One line of a chart; null leaves a gap. */
export interface Series {
  readonly name: string;
  readonly colour: SeriesColour;
  readonly style: 'line' | 'step' | 'dash' | 'marks';
  readonly values: readonly (number | null)[];
}

/** A stretch of the horizontal axis with a name, in its units. */
interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** One chart; `x` ascends, and every series has one value for each of its entries. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** A hint for the reader, in a sentence or two. */
  readonly note: string;
  readonly xName: string;
  readonly yName: string;
  readonly yScale: 'even' | 'log';
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly spans?: readonly Span[];
  /** A point with a word on it. */
  readonly flag?: { readonly x: number; readonly y: number; readonly text: string } | null;
}

const plot = { left: 56, right: 884, top: 38, bottom: 268 } as const;
const size = { width: 900, height: 310 } as const;

/** A number with as many digits as a chart can show. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function tickText(value: number): string {
  const [divisor, unit] = Math.abs(value) >= 1e6 ? [1e6, 'M'] : Math.abs(value) >= 1e4 ? [1e3, 'k'] : [1, ''];
  return `${Number((value / divisor).toPrecision(4))}${unit}`;
}

/** An axis: where a value stands, and its ticks. */
interface Axis {
  at(value: number): number;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
}

/** The axis of some values between two places of the picture; an even one of values begins at nought. */
function axisOf(values: readonly number[], scale: Chart['yScale'], from: number, to: number): Axis {
  let [low, high] = scale === 'even' ? [0, 0] : [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (scale === 'log') {
    const [first, last] = high > 0 ? [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))] : [0, 1];
    const decades = Math.max(1, last - first);
    const step = Math.ceil(decades / 8);
    return {
      at: (value) => from + ((Math.log10(value) - first) / decades) * (to - from),
      ticks: Array.from({ length: Math.floor(decades / step) + 1 }, (_, at) => {
        const value = rounded(10 ** (first + at * step));
        return { value, text: tickText(value) };
      }),
    };
  }
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low, low + 1] : [0, 1];
  const at = (value: number): number => from + ((value - low) / (high - low)) * (to - from);
  const rough = high / 6;
  const step =
    [1, 2, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10(rough))).find((one) => one >= rough) ?? rough;
  return {
    at,
    ticks: Array.from({ length: Math.floor(high / step) + 1 }, (_, place) => ({
      value: place * step,
      text: tickText(place * step),
    })),
  };
}

const place = (value: number): string => value.toFixed(1);

/** The path of a series; a gap begins it anew. */
function pathOf({ style, values }: Series, x: readonly number[], across: Axis, up: Axis): string {
  let isDrawn = false;
  return values
    .map((value, at) => {
      const left = place(across.at(x[at] ?? 0));
      if (value === null) {
        isDrawn = false;
        return '';
      }
      if (style === 'marks') return `M${left} ${plot.bottom + 2}v6`;
      const top = place(up.at(value));
      const begin = !isDrawn;
      isDrawn = true;
      return begin ? `M${left} ${top}` : style === 'step' ? `H${left}V${top}` : `L${left} ${top}`;
    })
    .join('');
}

/** The chart as a picture that needs no script, with its names beneath. */
export function chartMarkup(chart: Chart): Markup {
  const { id, title, note, xName, yName, x, series, spans = [], flag = null } = chart;
  const lines = series.filter(({ style }) => style !== 'marks');
  const heights = lines.flatMap(({ values }) => values).filter((value) => value !== null);
  const across = axisOf(x, 'even', plot.left, plot.right);
  const up = axisOf(heights, chart.yScale, plot.bottom, plot.top + 18);
  let free = plot.left;
  const bands = spans.map((span, at) => {
    const [from, to] = [across.at(span.from), across.at(span.to)];
    const band =
      at % 2 === 0
        ? html`<rect class="band" x="${place(from)}" y="${plot.top}" width="${place(to - from)}" height="${plot.bottom - plot.top}"/>`
        : null;
    if (from < free) return band;
    free = from + span.name.length * 7 + 8;
    return html`${band}<text x="${place(from + 3)}" y="${plot.top - 7}">${span.name}</text>`;
  });
  const picture = html`<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${`${title}: ${series.map(({ name }) => name).join(', ')}; ${yName} by ${xName}`}">${bands}
${up.ticks.map(({ value, text }) => html`<path class="grid" d="M${plot.left} ${place(up.at(value))}H${plot.right}"/><text class="end" x="${plot.left - 6}" y="${place(up.at(value) + 4)}">${text}</text>`)}
${across.ticks.map(({ value, text }) => html`<text class="middle" x="${place(across.at(value))}" y="${plot.bottom + 22}">${text}</text>`)}
<text class="end" x="${plot.right}" y="${size.height - 4}">${xName}</text><text x="2" y="12">${yName}</text>
${lines.map(({ name, style, values }) => (style === 'dash' ? html`<text class="middle" x="${size.width / 2}" y="${place(up.at(values.at(-1) ?? 0) - 5)}">${name}</text>` : null))}
${series.map((one) => html`<path class="series ${one.style} ${one.colour}" d="${pathOf(one, x, across, up)}"/>`)}
${flag === null ? null : html`<circle class="flag" cx="${place(across.at(flag.x))}" cy="${place(up.at(flag.y))}" r="5"/><text class="flag ${across.at(flag.x) > size.width / 2 ? 'end' : ''}" x="${place(across.at(flag.x) + (across.at(flag.x) > size.width / 2 ? -9 : 9))}" y="${place(up.at(flag.y) + (flag.y === 0 ? -9 : 18))}">${flag.text}</text>`}</svg>`;
  const names = series
    .filter(({ style }) => style !== 'dash')
    .map(
      ({ name, style, colour }) =>
        html`<li><svg viewBox="0 0 24 8" aria-hidden="true"><path class="series ${style} ${colour}" d="${style === 'marks' ? 'M12 1v6' : 'M0 4H24'}"/></svg>${shown(name, 120)}</li>`,
    );
  return html`<section class="sheet chart" aria-labelledby="${id}"><h3 id="${id}">${title}</h3><p class="quiet">${note}</p>
<div class="plot" tabindex="0">${picture}</div><ul class="names">${names}</ul></section>`;
}

/** The style sheet of charts, in addition to that of all pages. */
export const chartStyle = `
:root { --accepted: #1d8a56; --refused: #cf3f35; --other: #7d8593; --plain: #1b1e23;
  --first: #2a6fdb; --second: #c2620a; --third: #7a4fc9; --band: rgb(90 100 120 / 9%); }
@media (prefers-color-scheme: dark) { :root { --accepted: #56c78d; --refused: #f0776c; --other: #98a1b0; --plain: #f0eee9;
  --first: #7db1ff; --second: #f0a35c; --third: #b79bff; --band: rgb(200 210 230 / 8%); } }
.chart { padding: 1rem 1.1rem .9rem; }
.chart + .chart { margin-top: 1rem; }
.chart h3 { font-weight: 650; }
.chart .plot { margin-top: .5rem; overflow-x: auto; } .chart .plot svg { display: block; width: 100%; min-width: 46rem; }
.chart text { font-size: 12px; fill: var(--quiet); } .chart text.end { text-anchor: end; } .chart text.middle { text-anchor: middle; }
.chart .band { fill: var(--band); } .chart .grid { stroke: var(--line); } .chart .series { fill: none; stroke-width: 2; } .chart .dash { stroke-dasharray: 7 5; stroke-width: 1.5; }
.accepted { stroke: var(--accepted); } .refused { stroke: var(--refused); } .other { stroke: var(--other); } .plain { stroke: var(--plain); } .first { stroke: var(--first); } .second { stroke: var(--second); } .third { stroke: var(--third); }
.chart circle.flag { fill: none; stroke: var(--refused); stroke-width: 2.5; } .chart text.flag { fill: var(--refused); font-weight: 600; font-size: 13px; }
.chart .names { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .8125rem; margin-top: .4rem; } .chart .names svg { width: 1.5rem; height: .5rem; margin-right: .4rem; vertical-align: middle; }
.findings-list li { padding: .85rem 1.1rem; } .findings-list li + li { border-top: 1px solid var(--line); }
.findings-list .id { margin-right: .6rem; }
@media print { .chart { break-inside: avoid; } }
`;

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
  return parseThreshold(text).percentile === null ? `${(100 * value).toFixed(3)} %` : ms(value);
}

/** The pictures of a page. */
export const chartsMarkup = (charts: readonly Chart[]): Markup =>
  blockMarkup('charts', charts.length === 1 ? 'Picture' : 'Pictures', charts.map(chartMarkup));
