import { levelSections, type Report, type RequirementResult, type Verdict } from '../../requirement/index.js';
import { gravestOf, outcomeText, verdictOrder } from '../console-format.js';
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
import { sectionTitle } from '../sections.js';

const mostBreaches = 40;

function many(count: number, one: string, more: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}

function leadText(report: Report): string {
  const { counts } = report;
  const total = many(report.requirements.length, 'requirement', 'requirements');
  const open = counts.blocked + counts.error;
  const warned =
    counts.warn > 0 ? ` ${many(counts.warn, 'recommendation is', 'recommendations are')} not followed.` : '';
  if (report.outcome === 'nonconformant') {
    const unjudged = open > 0 ? ` ${many(open, 'more', 'more')} could not be judged.` : '';
    const outdated =
      report.outdatedWaivers?.map((sentence) => ` ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`).join('') ??
      '';
    const breached =
      counts.fail === 0
        ? 'No breach was seen'
        : `${counts.fail} of ${total} ${counts.fail === 1 ? 'is' : 'are'} breached`;
    return `${breached}.${outdated}${unjudged}${warned}`;
  }
  if (counts.waived > 0 && open === 0)
    return `${counts.waived} of ${total} failed or could not be judged, and waivers accept that; everything else that could be asked of this service holds.${warned}`;
  if (report.outcome === 'conformant')
    return `Of ${total}, everything that could be asked of this service holds.${warned}`;
  if (open === 0) return `Nothing could be judged: ${total}, none of them applicable.`;
  return `No breach was seen, but ${open} of ${total} could not be judged, so nothing is certain yet.${warned}`;
}

/** What became of each level of a certificate, and when and by what. */
function levelsMarkup({ requirements, started, suite, target: { version } }: Report): Markup {
  const chips = Object.entries(levelSections).flatMap(([name, sections]) => {
    const { verdict } = gravestOf(requirements.filter(({ section }) => sections.includes(section))) ?? {};
    return verdict === undefined ? [] : [badge(verdict, [verdictIcon(verdict), `${name} ${ruleWords[verdict]}`]), ' '];
  });
  return html`<p>${chips}<span class="quiet">${minuteOf(started)}, suite ${suite.version}${version === undefined ? null : html`, service ${shown(version, 60)} by its document`}</span></p>`;
}

/** The top of the page: the outcome, in one sentence, of which service. */
export function heroOf(report: Report): Pick<PageParts, 'tone' | 'kicker' | 'heading' | 'lead'> {
  const embedded = report.target.embedded ? html`<p class="quiet">The embedded reference service</p>` : null;
  const scopes = scopeDoubt(report.requirements);
  const doubt = scopes === null ? null : html`<p class="lead">${shown(scopes, 600)}</p>`;
  return {
    tone: report.outcome,
    kicker: html`<a class="skip" href="#requirements">Skip to the requirements</a>Dealership platform API, conformance report`,
    heading: outcomeText(report),
    lead: html`<p class="lead">${leadText(report)} ${judgedText(report.requirements)}.</p>${levelsMarkup(report)}${doubt}<p class="target">${shown(report.target.baseUrl, 300)}</p>${embedded}`,
  };
}

/** An item of a list of links to requirements. */
const item = (tone: string, id: string, which: Content, what: string, more: Content): Markup =>
  html`<li class="${tone}"><a href="#${id}"><span class="which">${which}</span><span class="what">${shown(what, 400)}</span><span class="quiet">${more}</span></a></li>`;
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
  if (causes.length === 0) return null;
  const items = causes.slice(0, mostBreaches).map((cause) => {
    const { id, verdict, title } = cause.results[0];
    const isShared = verdict === 'blocked' && cause.results.length > 1;
    const [what, more] = isShared ? [cause.text, namesOf(cause)] : [title, cause.text];
    const also = isShared ? '' : alsoIn(cause);
    const name = idMarkup(isShared ? `${cause.results.length} requirements` : id);
    const others = also === '' ? null : html` <b>Probably by the same cause: ${also}.</b>`;
    return item(verdict, id, [name, verdictBadge(verdict)], what, [shownShort(more, 1_000), others]);
  });
  const left = causes.length - items.length;
  const has = (...verdicts: readonly Verdict[]): boolean => results.some(({ verdict }) => verdicts.includes(verdict));
  const kinds = [
    ...(has('fail') ? ['failed'] : []),
    ...(has('error', 'blocked') ? ['could not be judged'] : []),
    ...(has('waived') ? ['is waived'] : []),
  ];
  const heading = `What ${kinds.map((kind, at) => (at > 0 && at === kinds.length - 1 ? `or ${kind}` : kind)).join(', ')}`;
  const more = left > 0 ? html`<p class="quiet">${left} more below.</p>` : null;
  return blockMarkup('breaches', heading, html`<ol class="sheet breaches">${items}</ol>${more}`);
}

/** The settings that let a run judge more; null if there are none. */
export function remediesMarkup({ requirements, observations }: Report): Markup | null {
  const items = openings(requirements, observations).map(({ count, text, names, first }) =>
    item('', first.id, idMarkup(count), text, names),
  );
  if (items.length === 0) return null;
  const list = html`<ol class="sheet breaches">${items}</ol>`;
  return blockMarkup('remedies', 'What lets more be judged', list, judgedText(requirements));
}

/** Every requirement as a small square by section: the whole run at a glance. */
export function mapMarkup(
  groups: ReadonlyMap<string, readonly RequirementResult[]>,
  sections: Report['sections'],
): Markup {
  const cell = (result: RequirementResult): Markup => {
    const name = `${result.id} ${verdictWord(result.verdict)}`;
    return html`<a class="${result.verdict}" href="#${result.id}" aria-label="${name}" title="${name}: ${result.title}">${verdictIcon(result.verdict)}</a>`;
  };
  const rows = [...groups].map(
    ([section, results]) =>
      html`<li><span class="name"><b>${section}</b> ${sectionTitle(section, sections)}</span><span class="cells">${results.map(cell)}</span></li>`,
  );
  return html`<nav class="block" aria-labelledby="map"><h2 id="map">At a glance</h2><ul class="sheet map">${rows}</ul></nav>`;
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
