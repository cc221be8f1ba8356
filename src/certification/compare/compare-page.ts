import { html, type Markup, shown } from '../../reports/index.js';
import { visible } from '../../visible.js';
import { plainPage } from '../certificate-page.js';
import { isJudgedInNeither, type ComparedSide, type Comparison, type VerdictChange } from './compare.js';
import type { ReportDifference } from './differences.js';

const mostRows = 500;

function many(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Verdicts on requirements of both runs that changed, as those that B waives did. */
const changesIn = ({ changes }: Comparison): VerdictChange[] =>
  changes.filter(({ change }) => change !== 'new' && change !== 'gone');

/** Which of the two is worse, over the requirements that both judged. */
function heading(comparison: Comparison): string {
  if (comparison.worse) return 'B is worse than A';
  return changesIn(comparison).length === 0 ? 'No verdict differs' : 'B is not worse than A';
}

/** The result of a comparison, in a sentence or two. */
function summary(comparison: Comparison): string {
  const { changes, observations } = comparison;
  const count = (change: string, words: string): string[] => {
    const found = changes.filter((one) => one.change === change && !isJudgedInNeither(one)).length;
    return found === 0 ? [] : [`${found} ${words}`];
  };
  const counted = [...count('worse', 'worse'), ...count('better', 'better')];
  const failed = changes.filter(({ change, to }) => change === 'new' && to === 'fail').length;
  const uncounted = [
    ...count('waived', 'waived in B'),
    ...count('gone', 'not judged in B'),
    ...count('new', `not judged in A${failed === 0 ? '' : ` (${failed} of them failed in B)`}`),
  ];
  const verdicts = `${heading(comparison)}${counted.length === 0 ? '' : `: ${counted.join(', ')}`}${uncounted.map((text) => `; ${text}`).join('')}`;
  return `${verdicts}${observations.length === 0 ? '' : `; ${many(observations.length, 'observation')} of what the specification leaves open ${observations.length === 1 ? 'differs' : 'differ'}`}.`;
}

/** A comparison as plain text for a terminal. */
export function renderTable(comparison: Comparison): string {
  const line = (letter: string, one: ComparedSide): string =>
    `${letter}  ${one.outcome.padEnd(13)} ${visible(one.baseUrl)}  ${one.started}  suite ${one.suite}  (${visible(one.name)})`;
  const rows = changesIn(comparison).map(
    (one) =>
      `${one.change.padEnd(7)} ${one.id.padEnd(9)} ${`${one.from ?? ''} → ${one.to ?? ''}`.padEnd(26)} ${visible(one.reason).slice(0, 200)}`,
  );
  const seen = comparison.observations.map(
    (one) =>
      `${one.id.padEnd(9)} A: ${visible(`${one.question ?? ''} ${one.stated}`).slice(0, 200)}\n${' '.repeat(10)}B: ${visible(one.found).slice(0, 200)}`,
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

/** The two sides; of suite and document only what differs. */
function sidesMarkup({ a, b }: Comparison): Markup {
  const card = (letter: string, one: ComparedSide, other: ComparedSide): Markup =>
    html`<section class="side"><h2>${letter} <span class="${one.outcome}">${one.outcome}</span></h2><p>${shown(one.baseUrl, 200)}</p><p class="quiet">${shown(one.started, 40)}</p><p class="quiet mono">${shown(one.name, 200)}</p>${one.suite === other.suite ? null : html`<p class="quiet">Suite ${shown(one.suite, 40)}</p>`}${one.document === other.document ? null : html`<p class="quiet mono">Document ${shown(one.document ?? 'none', 80)}</p>`}</section>`;
  return html`<div class="sides">${card('A', a, b)}${card('B', b, a)}</div>`;
}

function changeMarkup({ id, title, from, to, change, reason }: VerdictChange): Markup {
  return html`<li class="${change}"><p><b class="id">${id}</b> <span class="tone">${change}</span>: ${from} → ${to}</p><p>${shown(title, 200)}</p><p class="quiet">${shown(reason, 400)}</p></li>`;
}

function observationMarkup({ id, question = '', stated, found }: ReportDifference): Markup {
  return html`<li><p><b class="id">${shown(id, 40)}</b> ${shown(question, 300)}</p><p><b>A</b> ${shown(stated, 600)}</p><p><b>B</b> ${shown(found, 600)}</p></li>`;
}

function listMarkup(items: readonly Markup[]): Markup {
  const left = items.length - mostRows;
  return html`<ul class="rows">${items.slice(0, mostRows)}</ul>${left > 0 ? html`<p class="quiet">${left} more: --json lists them.</p>` : null}`;
}

/** A comparison as a self-contained page. */
export function renderComparison(comparison: Comparison): string {
  const { a, b, worse, sameCatalogue, observations } = comparison;
  const changes = changesIn(comparison);
  return plainPage(
    `Comparison: ${a.baseUrl} and ${b.baseUrl}`,
    html`<h1 class="${changes.length === 0 ? '' : worse ? 'worse' : 'better'}">${heading(comparison)}</h1>
<p>${summary(comparison)}</p>
${sidesMarkup(comparison)}
${sameCatalogue ? null : html`<p class="quiet">A and B were judged by different requirements.</p>`}
${changes.length === 0 ? null : html`<h2>Verdicts that changed</h2>${listMarkup(changes.map(changeMarkup))}`}
${observations.length === 0 ? null : html`<h2>Observations that differ</h2>${listMarkup(observations.map(observationMarkup))}`}`,
  );
}
