import { html, type Markup, pageStyle, renderDocument } from '../../reports/index.js';
import { type Chart, chartMarkup } from './charts.js';
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

/** A page that needs nothing else; whatever the parts hold as text is escaped. */
export function renderLoadShell(parts: PageParts): string {
  const body = html`<header class="hero ${parts.tone}"><div class="wrap"><div><p class="kicker">${parts.kicker}</p><h1>${parts.heading}</h1><p class="lead">${parts.lead}</p></div></div></header>
<main><div class="wrap">
${parts.before}
<section class="block" aria-labelledby="charts"><h2 id="charts">${parts.charts.length === 1 ? 'Picture' : 'Pictures'}</h2>
${parts.charts.map(chartMarkup)}</section>
${parts.after}
</div></main>`;
  return renderDocument({
    title: parts.title,
    style: pageStyle + loadPageStyle,
    body,
    icon: 'data:,',
  });
}
