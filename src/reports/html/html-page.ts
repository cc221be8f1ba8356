import { blockMarkup, factsMarkup, renderPage, tableMarkup, wrap } from './components.js';
import type { Exchange } from '../../http/index.js';
import { countsOf, type Observation, type Report, type RequirementResult } from '../../requirement/index.js';
import { outcomeText, tally, verdictOrder } from '../console-format.js';
import { html, shown, type Markup } from './html-markup.js';
import { breachesMarkup, heroOf, remediesMarkup, sinceMarkup, toolsMarkup } from './html-overview.js';
import { type CardOptions, exchangeShower, type Proof, requirementMarkup } from './html-requirement.js';
import { copyScript, pageScript } from './html-script.js';
import { statementsMarkup } from './html-statements.js';
import { verdictBadge, verdictMeanings } from './html-verdict.js';
import { blockedByReason, sharedCauses, type SinceBaseline, withoutSharedReasons } from '../judged.js';
import { bySection, sectionTitle } from '../sections.js';

/** Failures whose cards stand open; the others unfold from the list at the top. */
const mostOpen = 1;

/** The results that the page shows unfolded. */
interface Prominence {
  readonly causes: ReadonlyMap<string, RequirementResult>;
  readonly open: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

function prominenceOf(results: readonly RequirementResult[]): Prominence {
  const causes = sharedCauses(results);
  const heads = results.filter(({ id, verdict }) => (verdict === 'fail' || verdict === 'error') && !causes.has(id));
  const shared = blockedByReason(results).flatMap((group) => (group.results.length > 1 ? group.results : []));
  const quiet = results.filter(({ verdict }) => verdict === 'pass' || verdict === 'not-applicable');
  return {
    causes,
    open: new Set(heads.slice(0, mostOpen).map(({ id }) => id)),
    folded: new Set([...quiet, ...shared].map(({ id }) => id)),
  };
}

function sectionMarkup(
  section: string,
  title: string,
  results: readonly RequirementResult[],
  { causes, open, folded }: Prominence,
  common: Pick<CardOptions, 'shower' | 'proof'>,
): Markup {
  const card = (result: RequirementResult): Markup =>
    requirementMarkup(result, { ...common, isOpen: open.has(result.id), head: causes.get(result.id) ?? null });
  const prominent = results.filter(({ id }) => !folded.has(id));
  const rest = results.filter(({ id }) => folded.has(id));
  const name = title === '' ? html`${section}` : html`${title} <span class="code">${section}</span>`;
  return html`<section class="block section" aria-labelledby="section-${section}"><h2 id="section-${section}">${name}<span class="sum">${tally(countsOf(results))}</span></h2>
<div class="sheet">${prominent.map(card)}${rest.length === 0 ? null : html`<details class="rest"><summary>${tally(countsOf(rest))}</summary>${rest.map(card)}</details>`}</div></section>`;
}

function observationsMarkup(observations: readonly Observation[]): Markup | null {
  if (observations.length === 0) return null;
  const table = tableMarkup(observations, {
    columns: {
      'Asked by': ({ id }) => html`<span class="id">${shown(id, 40)}</span>`,
      Question: ({ question }) => shown(question, 600),
      Seen: ({ observed, detail }) => shown([observed, detail].filter(Boolean).join(': '), 2_000),
    },
  });
  const sheet = html`<details class="sheet rest"><summary>${observations.length} observations</summary>${table}</details>`;
  const sum = 'what the specification leaves open, and what this service does';
  return blockMarkup('observations', 'Observations', sheet, sum);
}

function aboutMarkup(report: Report): Markup {
  const facts: [string, string | null][] = [
    [
      'Started',
      `${report.started}, took ${report.seconds.toFixed(1)} s, ${report.requests.toLocaleString('en')} requests`,
    ],
    ['Seed', String(report.seed)],
    ['Trace id', report.traceId ?? null],
    ['Suite', `dealership-conformance ${report.suite.version}`],
    ['Requirements', report.suite.catalogue],
    ['OpenAPI document', report.target.document ?? 'none'],
  ];
  const legend = verdictOrder.map(
    (verdict) => html`<li>${verdictBadge(verdict)}<span class="quiet">${verdictMeanings[verdict]}</span></li>`,
  );
  return blockMarkup('about', 'About this run', [
    factsMarkup(facts.map(([name, value]) => [name, value === null ? null : shown(value, 200)])),
    html`<ul class="legend">${legend}</ul>`,
  ]);
}

/** `conformance.html`: one page that needs nothing else; `evidence` hands over exchanges by name. Everything from the target is escaped and bounded. */
export function renderHtml(
  report: Report,
  evidence: (name: string) => Exchange | undefined,
  since: SinceBaseline | null = null,
  proof: Proof = {},
): string {
  const isBroken = (results: readonly RequirementResult[]): number =>
    Number(results.some(({ verdict }) => verdict === 'fail' || verdict === 'error'));
  const groups = [...bySection(report.requirements, report.sections)].toSorted(
    (a, b) => isBroken(b[1]) - isBroken(a[1]),
  );
  const all = groups.flatMap(([, results]) => results);
  const common = { shower: exchangeShower(evidence), proof };
  // A reason that many share stands once on the page, at its top.
  const prominence = prominenceOf(all);
  const sections = groups.map(([section, results]) =>
    sectionMarkup(
      section,
      sectionTitle(section, report.sections),
      withoutSharedReasons(results, report.requirements),
      prominence,
      common,
    ),
  );
  return renderPage({
    ...heroOf(report),
    title: `${outcomeText(report)}: ${report.target.baseUrl}`,
    main: html`${wrap([since === null ? null : sinceMarkup(since, all), breachesMarkup(all), remediesMarkup(report)])}
<div id="requirements" tabindex="-1">${toolsMarkup(report)}${wrap(sections)}</div>
${wrap([statementsMarkup(all), observationsMarkup(report.observations), aboutMarkup(report)])}`,
    scripts: [pageScript, copyScript],
  });
}
