import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { html, Markup, pageStyle, renderDocument } from '../../reports/index.js';
import type { Chart } from './charts.js';
import { loadPageScript } from './page-script.js';
import { loadPageStyle } from './page-style.js';

/** The text of a load page around its charts. */
export interface PageParts {
  /** Plain text for the window's title. */
  readonly title: string;
  /** Decides the colour of the head. */
  readonly tone: 'pass' | 'fail' | 'blocked';
  readonly kicker: Markup;
  readonly heading: string;
  readonly lead: Markup;
  readonly before: readonly Markup[];
  readonly charts: readonly Chart[];
  readonly after: readonly Markup[];
}

/** A file of uPlot as text. */
function plotFile(name: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${name}`), 'utf8');
}

/** JSON that may stand in a script element: nothing in it can end the element or open a comment. */
export function embeddable(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function figure(chart: Chart): Markup {
  const names = chart.series.map((one) => one.name).join(', ');
  return html`<section class="sheet chart" aria-labelledby="title-${chart.id}"><h3 id="title-${chart.id}">${chart.title}</h3><p class="quiet">${chart.note}</p>
<div class="plot" id="${chart.id}" role="group" aria-label="${`${chart.title}: ${names}; ${chart.yName} by ${chart.xName}`}"></div></section>`;
}

/** A page that needs nothing else; whatever the parts hold as text is escaped. */
export function renderLoadShell(parts: PageParts): string {
  const body = html`<header class="hero ${parts.tone}"><div class="wrap"><div><p class="kicker">${parts.kicker}</p><h1>${parts.heading}</h1><p class="lead">${parts.lead}</p></div></div></header>
<main><div class="wrap">
${parts.before}
<section class="block" aria-labelledby="charts"><h2 id="charts">Charts<span class="sum">drag, or + and -, to zoom; double click, or Escape, to zoom out; arrow keys move the cursor; click a name, or press Enter on it, to hide it</span></h2>
${parts.charts.map(figure)}</section>
${parts.after}
</div></main>
<script type="application/json" id="data">${new Markup(embeddable(parts.charts))}</script>`;
  return renderDocument({
    title: parts.title,
    style: `${plotFile('uPlot.min.css')}\n${pageStyle}${loadPageStyle}`,
    body,
    scripts: [plotFile('uPlot.iife.min.js'), loadPageScript],
    icon: 'data:,',
  });
}
