import { headMarkup } from './html-head.js';
import { createHash } from 'node:crypto';
import type { Exchange } from '../http/exchange.js';
import type { Observation, Report, RequirementResult } from '../requirement/types.js';
import { Markup, html, shown } from './html-markup.js';
import { breachesMarkup, heroMarkup, mapMarkup, outcomeWords, tallyText, toolsMarkup } from './html-overview.js';
import { exchangeShower, requirementMarkup } from './html-requirement.js';
import type { ShowExchange } from './html-requirement.js';
import { pageScript } from './html-script.js';
import { pageStyle } from './html-style.js';
import { verdictBadge, verdictWords } from './html-verdict.js';
import { countsOf } from './outcome.js';
import { bySection, sectionTitle } from './sections.js';

const mostObservations = 300;

function hash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
}

/** Nothing may be fetched, framed, submitted or run but the style and script that carry these hashes. */
const policy = [
  "default-src 'none'",
  `style-src ${hash(pageStyle)}`,
  `script-src ${hash(pageScript)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

function sectionMarkup(section: string, results: readonly RequirementResult[], show: ShowExchange): Markup {
  const title = sectionTitle(section);
  const name = title === '' ? html`${section}` : html`${title} <span class="code">${section}</span>`;
  return html`<section class="block section" aria-labelledby="section-${section}"><h2 id="section-${section}">${name}<span class="sum">${tallyText(countsOf(results))}</span></h2>
<div class="sheet">${results.map((result) => requirementMarkup(result, show))}</div></section>`;
}

function observationsMarkup(observations: readonly Observation[]): Markup | null {
  if (observations.length === 0) return null;
  const rows = observations
    .slice(0, mostObservations)
    .map(
      (one) =>
        html`<tr><th scope="row" class="id">${shown(one.id, 40)}</th><td>${shown(one.question, 600)}</td><td>${shown(one.observed, 2_000)}</td></tr>`,
    );
  const left = observations.length - rows.length;
  return html`<section class="block" aria-labelledby="observations"><h2 id="observations">Observations<span class="sum">what the specification leaves open, and what this service does</span></h2>
<div class="sheet"><table><thead><tr><th scope="col">Asked by</th><th scope="col">Question</th><th scope="col">Seen</th></tr></thead><tbody>${rows}</tbody></table></div>${left > 0 ? html`<p class="quiet">${left} more are in conformance.json.</p>` : null}</section>`;
}

function aboutMarkup(report: Report): Markup {
  const facts: [string, string][] = [
    ['Started', report.started],
    ['Took', `${report.seconds.toFixed(1)} s, ${report.requests.toLocaleString('en')} requests`],
    ['Seed', String(report.seed)],
    ['Suite', `dealership-conformance ${report.suite.version}`],
    ['Catalogue', report.suite.catalogue],
    ['OpenAPI document', report.target.document ?? 'none'],
  ];
  const legend = verdictWords.map(
    ([verdict, , meaning]) => html`<li>${verdictBadge(verdict)}<span class="quiet">${meaning}</span></li>`,
  );
  return html`<section class="block" aria-labelledby="about"><h2 id="about">About this run</h2><dl class="sheet about">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${shown(value, 200)}</dd></div>`)}</dl><ul class="legend">${legend}</ul></section>`;
}

function favicon(outcome: Report['outcome']): string {
  const colour = { conformant: '#3fa871', nonconformant: '#d9483d', incomplete: '#7f6fe0' }[outcome];
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${colour}"/></svg>`)}`;
}

/** `conformance.html`: one page that needs nothing else; `evidence` hands over exchanges by name. Everything from the target is escaped and bounded. */
export function renderHtml(report: Report, evidence: (name: string) => Exchange | undefined): string {
  const groups = bySection(report.requirements);
  const show = exchangeShower(evidence);
  const sections = [...groups].map(([section, results]) => sectionMarkup(section, results, show));
  return html`<!doctype html>
<html lang="en">
${headMarkup({ title: `${outcomeWords[report.outcome]}: ${report.target.baseUrl}`, policy, style: pageStyle, icon: favicon(report.outcome), schemes: true })}
<body>
<a class="skip" href="#requirements">Skip to the requirements</a>
${heroMarkup(report)}
<main>
<div class="wrap">${breachesMarkup([...groups.values()].flat())}${mapMarkup(groups)}</div>
<div id="requirements" tabindex="-1">${toolsMarkup(report)}<div class="wrap">${sections}</div></div>
<div class="wrap">${observationsMarkup(report.observations)}${aboutMarkup(report)}</div>
</main>
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.source;
}
