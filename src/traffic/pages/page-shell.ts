import { headMarkup } from '../../reports/html/html-head.js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Markup, html } from '../../reports/html/html-markup.js';
import { pageStyle } from '../../reports/html/html-style.js';
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

interface Inlined {
  readonly style: string;
  readonly plot: string;
  readonly policy: string;
}

let known: Inlined | null = null;

function hash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** uPlot and the page's own code as text, and a policy under which only they may run. */
function inlined(): Inlined {
  if (known !== null) return known;
  const folder = dirname(createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js'));
  const plot = readFileSync(join(folder, 'uPlot.iife.min.js'), 'utf8');
  const style = `${readFileSync(join(folder, 'uPlot.min.css'), 'utf8')}\n${pageStyle}${loadPageStyle}`;
  const policy = [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(plot)} ${hash(loadPageScript)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  known = { style, plot, policy };
  return known;
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
  const { style, plot, policy } = inlined();
  return html`<!doctype html>
<html lang="en">
${headMarkup({ title: parts.title, policy, style, icon: 'data:,', schemes: true })}
<body>
<header class="hero ${parts.tone}"><div class="wrap"><div><p class="kicker">${parts.kicker}</p><h1>${parts.heading}</h1><p class="lead">${parts.lead}</p></div></div></header>
<main><div class="wrap">
${parts.before}
<section class="block" aria-labelledby="charts"><h2 id="charts">Charts<span class="sum">drag, or + and -, to zoom; double click, or Escape, to zoom out; arrow keys move the cursor; click a name, or press Enter on it, to hide it</span></h2>
${parts.charts.map(figure)}</section>
${parts.after}
</div></main>
<script type="application/json" id="data">${new Markup(embeddable(parts.charts))}</script>
<script>${new Markup(plot)}</script>
<script>${new Markup(loadPageScript)}</script>
</body>
</html>
`.source;
}
