import { html, shown } from '../report/html-markup.js';
import type { Markup } from '../report/html-markup.js';
import { visible } from '../report/visible.js';
import { plainPage } from './certificate-page.js';
import type { ComparedSide, Comparison } from './compare.js';

const mostRows = 500;

function summary({ changes, observations, worse }: Comparison): string {
  const count = (change: string): number => changes.filter((one) => one.change === change).length;
  if (changes.length === 0) return `No verdict differs; ${observations.length} observations do.`;
  return `B is ${worse ? 'worse' : 'not worse'}: ${count('worse')} worse, ${count('better')} better, ${count('new')} new, ${count('gone')} gone; ${observations.length} observations differ.`;
}

/** A comparison as plain text for a terminal. */
export function renderTable(comparison: Comparison): string {
  const line = (letter: string, one: ComparedSide): string =>
    `${letter}  ${one.outcome.padEnd(13)} ${visible(one.baseUrl)}  ${one.started}  suite ${one.suite}  (${visible(one.name)})`;
  const rows = comparison.changes.map(
    (one) =>
      `${one.change.padEnd(7)} ${one.id.padEnd(9)} ${`${one.from ?? 'none'} → ${one.to ?? 'none'}`.padEnd(26)} ${visible(one.reason).slice(0, 200)}`,
  );
  const seen = comparison.observations.map(
    (one) =>
      `${one.id.padEnd(9)} A: ${visible(one.stated).slice(0, 200)}\n${' '.repeat(10)}B: ${visible(one.found).slice(0, 200)}`,
  );
  return [
    line('A', comparison.a),
    line('B', comparison.b),
    ...(comparison.sameCatalogue ? [] : ['   A and B were judged by different requirements']),
    ...(rows.length > 0 ? ['', ...rows] : []),
    ...(seen.length > 0 ? ['', 'Observations that differ', ...seen] : []),
    '',
    summary(comparison),
    '',
  ].join('\n');
}

function sideMarkup(letter: string, one: ComparedSide): Markup {
  return html`<tr><th scope="row">${letter}</th><td>${shown(one.baseUrl, 200)}</td><td>${one.outcome}</td><td>${shown(one.started, 40)}</td><td>${shown(one.suite, 40)}</td><td class="mono">${shown(one.document ?? 'none', 80)}</td></tr>`;
}

/** A comparison as a page that needs nothing else. */
export function renderComparison(comparison: Comparison): string {
  const changes = comparison.changes
    .slice(0, mostRows)
    .map(
      (one) =>
        html`<tr><th scope="row">${one.id}</th><td class="${one.change}">${one.change}</td><td>${one.from ?? 'none'} → ${one.to ?? 'none'}</td><td>${shown(one.title, 200)}<br><span class="quiet">${shown(one.reason, 400)}</span></td></tr>`,
    );
  const seen = comparison.observations
    .slice(0, mostRows)
    .map(
      (one) =>
        html`<tr><th scope="row">${shown(one.id, 40)}</th><td>${shown(one.stated, 600)}</td><td>${shown(one.found, 600)}</td></tr>`,
    );
  return plainPage(
    `Comparison: ${comparison.a.baseUrl} and ${comparison.b.baseUrl}`,
    html`<h1>Comparison</h1>
<p class="${comparison.worse ? 'worse' : 'better'}">${summary(comparison)}</p>
<table><thead><tr><th></th><th scope="col">Service</th><th scope="col">Outcome</th><th scope="col">Judged</th><th scope="col">Suite</th><th scope="col">OpenAPI document</th></tr></thead><tbody>${sideMarkup('A', comparison.a)}${sideMarkup('B', comparison.b)}</tbody></table>
${comparison.sameCatalogue ? null : html`<p class="quiet">A and B were judged by different requirements.</p>`}
<h2>Verdicts that changed</h2>
${changes.length === 0 ? html`<p>None.</p>` : html`<table><tbody>${changes}</tbody></table>`}
<h2>Observations that differ</h2>
${seen.length === 0 ? html`<p>None.</p>` : html`<table><thead><tr><th scope="col">Asked by</th><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>${seen}</tbody></table>`}`,
  );
}
