import type { Exchange } from '../../http/index.js';
import { explainSource, type Finding, levelMeanings, type RequirementResult } from '../../requirement/index.js';
import { command } from './components.js';
import { answerLines } from './html-answer.js';
import { exchangeMarkup } from './html-exchange.js';
import { shownShort } from './html-ids.js';
import { lanesMarkup } from './html-lanes.js';
import { html, shown, type Markup } from './html-markup.js';
import { verdictBadge } from './html-verdict.js';

const mostText = 4_096;
/** All unfolding exchanges of a page together, in characters; a page stays something that a browser opens at once. */
const pageBudget = 3_000_000;

/** Shows each exchange of the evidence once on a page, and no more of them than the page can bear. */
export function exchangeShower(find: (name: string) => Exchange | undefined) {
  const done = new Set<string>();
  let spent = 0;
  const show = (name: string): Markup => {
    if (done.has(name))
      return html`<p class="quiet"><a href="#exchange-${name}">Exchange ${name}</a> is shown above.</p>`;
    const exchange = find(name);
    if (exchange === undefined) return html`<p class="quiet">Exchange ${name} is not in the evidence at hand.</p>`;
    if (spent > pageBudget) return html`<p class="quiet">Exchange ${name} is in the evidence; this page is full.</p>`;
    const markup = exchangeMarkup(name, exchange);
    done.add(name);
    spent += markup.source.length;
    return markup;
  };
  return { find, show };
}

type ExchangeShower = ReturnType<typeof exchangeShower>;

/** One finding; `first` where it repeats the command of the first. */
function findingMarkup(finding: Finding, { find, show }: ExchangeShower, first?: Finding): Markup {
  const exchanges = finding.exchanges.flatMap((name) => find(name) ?? []);
  return html`<li class="finding">
<dl class="contrast"><div><dt>Expected</dt><dd>${shownShort(finding.expected, mostText)}</dd></div><div><dt>Seen</dt><dd>${shownShort(finding.actual, mostText)}</dd></div></dl>
${answerLines(finding, exchanges)}${lanesMarkup(finding, exchanges)}
${finding.curl === undefined ? null : command('Request that shows it', finding.curl)}
${finding.page === undefined ? null : html`<p><a href="${finding.page}">The page that shows it, with charts</a></p>`}
${finding.replay === undefined || finding.replay === first?.replay ? null : command('Command that replays it', finding.replay)}
${finding.exchanges.map(show)}
</li>`;
}

/** The requirement itself, folded: what it rests on, and what its level means. Other pages link here. */
function requiredMarkup({ id, level, source }: RequirementResult): Markup {
  return html`<details class="rest" id="${id}-required"><summary>What is required, and where it says so</summary><div class="required"><p>Source: ${shown(explainSource(source), 500)}. ${level}: ${levelMeanings[level]}.</p><p>To judge it alone: <code>npx dealership-conformance certify --only ${id} --out reports/${id}</code>. How services break it: <code>npx dealership-conformance explain ${id}</code>.</p></div></details>`;
}

/** What the proof of the suite found of each requirement: how many known faults it finds, of how many, and how many conforming services it passes. */
export type Proof = Readonly<Record<string, readonly [number, number, number]>>;

/** Why a failure of a requirement can be believed. */
function proofMarkup([found, known, passed]: Proof[string] = [0, 0, 0]): Markup | null {
  const silent = passed === 0 ? '' : `, and passes ${passed} conforming services`;
  return known === 0 ? null : html`<span>This check finds ${found} of ${known} known faults${silent}</span>`;
}

/** How a requirement is shown; `head` is the result that most likely has the same cause. */
export interface CardOptions {
  readonly shower: ExchangeShower;
  readonly isOpen: boolean;
  readonly head: RequirementResult | null;
  readonly proof: Proof;
}

/** One requirement: its verdict and reason at a glance, unfolding to its first finding, and that to the others. */
export function requirementMarkup(result: RequirementResult, { shower, isOpen, head, proof }: CardOptions): Markup {
  const [first, ...others] = result.findings;
  const unit = result.requests === 1 ? 'request' : 'requests';
  const openMark = isOpen ? html` open` : null;
  const more = html`<details class="rest"><summary>${others.length} more like it</summary><ol class="findings">${others.map((finding) => findingMarkup(finding, shower, first))}</ol></details>`;
  return html`<article class="requirement ${result.verdict}" id="${result.id}" data-verdict="${result.verdict}">
<details${openMark}>
<summary><span class="line">${verdictBadge(result.verdict)}<span class="id">${result.id}</span><h3>${shown(result.title, 400)}</h3><span class="level" title="${levelMeanings[result.level]}">${result.level}</span></span></summary>
<div class="inside">
${head === null ? null : html`<p class="reason"><b>Probably the same cause as <a href="#${head.id}">${head.id}</a></b>, which failed in the same answers or others like them.</p>`}${first === undefined ? html`<p class="reason">${shown(result.reason, mostText)}</p>` : null}
<p class="facts"><span>Source: <a href="#${result.id}-required">${shown(explainSource(result.source), 500)}</a></span><span>${result.requests.toLocaleString('en')} ${unit}</span>${first === undefined ? null : proofMarkup(proof[result.id])}</p>
${first === undefined ? null : html`<ol class="findings">${findingMarkup(first, shower)}</ol>`}${others.length === 0 ? null : more}${requiredMarkup(result)}
</div>
</details>
</article>`;
}
