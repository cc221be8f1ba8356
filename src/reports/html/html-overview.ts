import { levelSections, type Report, type RequirementResult } from '../../requirement/index.js';
import { gravestOf, outcomeText, tally, verdictOrder } from '../console-format.js';
import { badge, blockMarkup, type PageParts } from './components.js';
import { type Content, html, shown, type Markup } from './html-markup.js';
import { shownShort } from './html-ids.js';
import { ruleWords, verdictBadge, verdictIcon, verdictWord } from './html-verdict.js';
import {
  alsoIn,
  causesOf,
  changesText,
  judgedText,
  namesOf,
  openings,
  scopeDoubt,
  type SinceBaseline,
  toldChanges,
} from '../judged.js';
import { minuteOf } from '../../visible.js';

/** What became of each level of a certificate, and when and by what. */
function levelsMarkup({ requirements, started, suite, target: { version } }: Report): Markup {
  const chips = Object.entries(levelSections).flatMap(([name, sections]) => {
    const { verdict } = gravestOf(requirements.filter(({ section }) => sections.includes(section))) ?? {};
    if (verdict === undefined) return [];
    const isWhole = sections.every((one) => requirements.some(({ section }) => section === one));
    const [look, word] =
      isWhole || verdict === 'fail' ? [verdict, ruleWords[verdict]] : (['blocked', 'judged in part'] as const);
    return [badge(look, [verdictIcon(look), `${name} ${word}`]), ' '];
  });
  return html`<p>${chips}<span class="quiet">${minuteOf(started)}, suite ${suite.version}${version === undefined ? null : html`, service ${shown(version, 60)} by its document`}</span></p>`;
}

/** The top of the page: the outcome, in one sentence, of which service. */
export function heroOf(report: Report): Pick<PageParts, 'tone' | 'kicker' | 'heading' | 'lead'> {
  const embedded = report.target.embedded ? html`<p class="quiet">The embedded reference service</p>` : null;
  const doubts = [...(report.outdatedWaivers ?? []), scopeDoubt(report.requirements) ?? []].flat();
  return {
    tone: report.outcome,
    kicker: html`<a class="skip" href="#requirements">Skip to the requirements</a>Dealership platform API, conformance report`,
    heading: outcomeText(report),
    lead: html`<p class="lead">${tally(report.counts)}. ${judgedText(report.requirements)}.</p>${levelsMarkup(report)}${doubts.map((one) => html`<p class="lead">${shown(one, 600)}</p>`)}<p class="target">${shown(report.target.baseUrl, 300)}</p>${embedded}`,
  };
}

/** An item of a list of links to requirements. */
const item = (tone: string, id: string, which: Content, what: string, more: Content): Markup =>
  html`<li class="${tone}"><a href="#${id}"><span class="which">${which}</span><span class="what">${shown(what, 400)}</span><span class="quiet">${more}</span></a></li>`;
/** A block with such a list. */
const listBlock = (id: string, title: string, items: readonly Markup[], sum = ''): Markup | null =>
  items.length === 0 ? null : blockMarkup(id, title, html`<ol class="sheet breaches">${items}</ol>`, sum);
const idMarkup = (text: string): Markup => html`<span class="id">${text}</span>`;

/** What differs from an earlier report. */
export function sinceMarkup(since: SinceBaseline, results: readonly RequirementResult[]): Markup {
  const items = toldChanges(since).map(({ id, from, to, change }) => {
    const title = results.find((one) => one.id === id)?.title ?? '';
    return item(
      to ?? '',
      id,
      [idMarkup(id), to === null ? null : verdictBadge(to)],
      title,
      `${change}: ${from ?? 'not judged'} before`,
    );
  });
  const notes = since.notes.map(({ text, value }) => html`<p class="quiet">${text} ${shown(value, 300)}.</p>`);
  const list = items.length === 0 ? null : html`<ol class="sheet breaches">${items}</ol>`;
  return blockMarkup('since', `Since ${since.name}: ${changesText(since)}`, [list, notes]);
}

/** The causes that decide the outcome, each with a link; null if there are none. */
export function breachesMarkup(results: readonly RequirementResult[]): Markup | null {
  const causes = causesOf(results, 'fail', 'error', 'waived', 'blocked');
  const items = causes.map((cause) => {
    const { id, verdict, title } = cause.results[0];
    const isShared = verdict === 'blocked' && cause.results.length > 1;
    const [what, more] = isShared ? [cause.text, namesOf(cause)] : [title, cause.text];
    const also = isShared ? '' : alsoIn(cause);
    const name = idMarkup(isShared ? `${cause.results.length} requirements` : id);
    const others = also === '' ? null : html` <b>Probably by the same cause: ${also}.</b>`;
    return item(verdict, id, [name, verdictBadge(verdict)], what, [shownShort(more, 1_000), others]);
  });
  return listBlock('breaches', 'What decides the outcome', items);
}

/** The settings that let a run judge more; null if there are none. */
export function remediesMarkup({ requirements, observations }: Report): Markup | null {
  const items = openings(requirements, observations).map(({ count, text, names, first }) =>
    item('', first.id, idMarkup(count), text, names),
  );
  return listBlock('remedies', 'What lets more be judged', items, judgedText(requirements));
}

/** The bar that filters by verdict and text; shown by the script that works it. */
export function toolsMarkup(report: Report): Markup {
  const chips = verdictOrder
    .filter((verdict) => report.counts[verdict] > 0)
    .map(
      (verdict) =>
        html`<label class="chip ${verdict}"><input type="radio" name="verdict" value="${verdict}"><span>${verdictIcon(verdict)}${verdictWord(verdict)} <span class="n">${report.counts[verdict]}</span></span></label>`,
    );
  return html`<div class="tools" hidden><div class="wrap"><fieldset><legend>Show requirements by verdict</legend><label class="chip"><input type="radio" name="verdict" value="all" checked autocomplete="off"><span>All <span class="n">${report.requirements.length}</span></span></label>${chips}</fieldset>
<input type="search" id="search" aria-label="Search requirements" placeholder="Search" autocomplete="off"><button type="button" id="unfold" aria-pressed="false">Unfold all</button><p class="quiet shown" id="shown" role="status"></p></div></div>`;
}
