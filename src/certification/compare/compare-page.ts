import {
  badge,
  changesText,
  type Content,
  html,
  renderPage,
  shown,
  shownShort,
  type Table,
  tableBlock,
  toldChanges,
  wrap,
} from '../../reports/index.js';
import { minuteOf, visible } from '../../visible.js';
import type { ComparedSide, Comparison } from './compare.js';

const mostRows = 500;

function many(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Which of the two is worse, over the requirements that both judged. */
function heading(comparison: Comparison): string {
  if (comparison.worse) return 'B is worse than A';
  return toldChanges(comparison).length === 0 ? 'No verdict differs' : 'B is not worse than A';
}

/** The result of a comparison, in a sentence or two. */
function summary(comparison: Comparison): string {
  const { changes, observations } = comparison;
  const verdicts = changes.length === 0 ? '' : `: ${changesText(comparison, { earlier: 'in A', later: 'in B' })}`;
  return `${heading(comparison)}${verdicts}${observations.length === 0 ? '' : `; ${many(observations.length, 'observation')} of what the specification leaves open ${observations.length === 1 ? 'differs' : 'differ'}`}.`;
}

/** A comparison as plain text for a terminal. */
export function renderTable(comparison: Comparison): string {
  const line = (letter: string, one: ComparedSide): string =>
    `${letter}  ${one.outcome.padEnd(13)} ${visible(one.baseUrl)}  ${minuteOf(one.started)}  suite ${one.suite}  (${visible(one.name)})`;
  const rows = toldChanges(comparison).map(
    (one) =>
      `${one.change.padEnd(7)} ${one.id.padEnd(9)} ${`${one.from ?? 'not judged'} → ${one.to ?? 'not judged'}`.padEnd(26)} ${one.cause === undefined ? visible(one.reason).slice(0, 200) : `probably as ${one.cause}`}`,
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

const tones = {
  worse: 'fail',
  better: 'pass',
  waived: 'waived',
  new: 'not-applicable',
  gone: 'not-applicable',
} as const;

/** A table of the differences that a page has room for. */
function listMarkup<T>(id: string, title: string, items: readonly T[], columns: Table<T>['columns']): Content {
  const left = items.length - mostRows;
  const more = left > 0 ? html`<p class="quiet">${left} more: --json lists them.</p>` : null;
  return [tableBlock(id, title, items.slice(0, mostRows), { columns }), more];
}

/** A comparison as a self-contained page; of suite and document it shows only what differs. */
export function renderComparison(comparison: Comparison): string {
  const { a, b, worse, sameCatalogue } = comparison;
  const changes = toldChanges(comparison);
  const causes = changes.filter(({ cause }) => cause === undefined);
  const other = sameCatalogue ? null : html`<p class="lead">A and B were judged by different requirements.</p>`;
  return renderPage({
    title: `Comparison: ${a.baseUrl} and ${b.baseUrl}`,
    tone: changes.length === 0 ? 'not-applicable' : worse ? 'fail' : 'pass',
    kicker: 'Dealership platform API, comparison of two runs',
    heading: heading(comparison),
    lead: html`<p class="lead">${summary(comparison)}</p>${other}`,
    main: wrap([
      tableBlock('runs', 'Runs', [a, b], {
        columns: {
          Run: (one) => (one === a ? 'A' : 'B'),
          Outcome: ({ outcome }) => badge(outcome, outcome),
          Service: ({ baseUrl }) => shown(baseUrl, 200),
          Started: ({ started }) => shown(minuteOf(started), 40),
          Report: ({ name }) => html`<span class="mono">${shown(name, 200)}</span>`,
          ...(a.suite === b.suite ? {} : { Suite: ({ suite }: ComparedSide) => shown(suite, 40) }),
          ...(a.document === b.document ? {} : { Document: (one: ComparedSide) => shown(one.document ?? 'none', 80) }),
        },
      }),
      listMarkup('changes', 'Verdicts that changed', causes, {
        Id: ({ id }) => id,
        Verdict: ({ change, from, to }) =>
          html`${badge(tones[change], change)} ${from ?? 'not judged'} → ${to ?? 'not judged'}`,
        Requirement: ({ title }) => shown(title, 200),
        Reason: ({ id, reason }) => {
          const also = changes.flatMap((one) => (one.cause === id ? one.id : [])).join(', ');
          return [shownShort(reason, 400), also === '' ? null : html` <b>Probably by the same cause: ${also}.</b>`];
        },
      }),
      listMarkup('observations', 'Observations that differ', comparison.observations, {
        Id: ({ id }) => shown(id, 40),
        Question: ({ question = '' }) => shown(question, 300),
        A: ({ stated }) => shown(stated, 600),
        B: ({ found }) => shown(found, 600),
      }),
    ]),
  });
}
