import { html, type Markup, shown } from '../../reports/index.js';
import type { SoakComparison } from '../soak/history/compare-soak-runs.js';
import type { SoakRun } from '../soak/history/history.js';
import { answeredOf } from '../soak/judge.js';
import type { SoakReport, SoakSummary } from '../soak/run-soak.js';
import { renderLoadShell, type PageParts } from './page-shell.js';
import { overTimeCharts } from './soak-charts.js';
import { factsMarkup, latencyText, numberColumns, statusesText, tableMarkup, thresholdText, whole } from './tables.js';

/** Input of the page. */
export interface SoakPageOptions {
  /** The target's address, or the name of the embedded service. */
  readonly name: string;
  readonly plan: string;
  readonly run: SoakRun;
  readonly comparison: SoakComparison;
}

function share(part: number, all: number): string {
  return all === 0 ? '0 %' : `${((100 * part) / all).toFixed(3)} %`;
}

function operationRow(name: string, one: SoakSummary): (string | Markup)[] {
  return [
    shown(name, 120),
    whole(one.due),
    whole(one.errors),
    whole(one.bareEnvelopes),
    ...[one.p50Ms, one.p95Ms, one.p99Ms, one.maxMs].map(latencyText),
    shown(statusesText(one.statuses), 300),
  ];
}

function operationsTable({ service, control }: SoakRun): Markup {
  const rows = [
    operationRow('all', service.total),
    ...service.operations.map((one) => operationRow(one.name, one)),
    ...(control === null ? [] : [operationRow('reference on this machine', control.total)]),
  ];
  return tableMarkup(
    'operations',
    'Operations',
    'latency from the scheduled time',
    [
      { name: 'Operation' },
      ...numberColumns('Requests', 'Errors', 'No envelope (ok, data)', 'p50', 'p95', 'p99', 'max'),
      { name: 'Statuses' },
    ],
    rows,
  );
}

function thresholdsTable(report: SoakReport): Markup {
  const rows = report.thresholds.map((one) => [
    html`<code>${shown(one.text, 80)}</code>`,
    one.value === null ? '–' : thresholdText(one.text, one.value),
    one.value === null
      ? html`<span class="blocked"><span class="badge">not judged</span></span>`
      : one.kept
        ? html`<span class="pass"><span class="badge">kept</span></span>`
        : html`<span class="fail"><span class="badge">broken</span></span>`,
  ]);
  return tableMarkup(
    'thresholds',
    'Thresholds',
    '',
    [{ name: 'Threshold' }, { name: 'Seen', number: true }, { name: 'Verdict' }],
    rows,
  );
}

/** Tonight beside the nights before; nothing where they are too few. */
function nightsTable({ nights }: SoakComparison): Markup[] {
  if (nights.length === 0) return [];
  const rows = nights.map(({ name, value, usual, spread, isAbove, isRise }) => {
    const text = (one: number): string => (name === 'errors' ? share(one, 1) : latencyText(one));
    const verdict = isRise
      ? html`<span class="warn"><span class="badge">${name === 'errors' ? 'more errors' : 'slower'}</span></span>`
      : isAbove
        ? 'above, tonight only'
        : 'as usual';
    return [name, text(value), text(usual), text(spread), verdict];
  });
  return [
    tableMarkup(
      'nights',
      'Compared with earlier runs',
      'slower: above the median of up to ten earlier runs by more than three median absolute deviations and by at least 5 %, tonight and the night before',
      [{ name: 'Figure' }, ...numberColumns('Tonight', 'Median', 'Median deviation'), { name: 'Verdict' }],
      rows,
    ),
  ];
}

function verdictOf(report: SoakReport): Pick<PageParts, 'tone' | 'heading'> {
  const { due, errors, statuses } = report.total;
  if (errors > 0 && answeredOf(Object.entries(statuses)) === 0)
    return { tone: 'blocked', heading: 'No request was answered' };
  const broken = report.thresholds.filter((one) => one.value !== null && !one.kept).length;
  if (broken > 0) return { tone: 'fail', heading: `Thresholds exceeded: ${broken} of ${report.thresholds.length}` };
  if (report.ended === 'aborted' || due === 0) return { tone: 'blocked', heading: 'Ended early' };
  if (report.thresholds.length > 0) return { tone: 'pass', heading: 'Every threshold kept' };
  return errors === 0
    ? { tone: 'pass', heading: 'No request failed' }
    : { tone: 'blocked', heading: `${whole(errors)} requests failed` };
}

/** The page of a soak run: its thresholds, earlier runs beside it, and latency over time. */
export function renderSoakPage({ name, plan, run, comparison }: SoakPageOptions): string {
  const { service } = run;
  const { total } = service;
  const facts: [string, string][] = [
    ['Rate', `${service.ratePerSecond.toLocaleString('en')}/s`],
    ['Took', `${service.seconds.toFixed(0)} s`],
    ['Requests', whole(total.due)],
    ['Errors', `${whole(total.errors)} (${share(total.errors, total.due)})`],
    ['p95', latencyText(total.p95Ms)],
    ['Compared with earlier runs', comparison.verdict],
    ...(service.traceId === undefined ? [] : [['Trace id', service.traceId] as [string, string]]),
  ];
  return renderLoadShell({
    ...verdictOf(service),
    title: `Soak of ${name}`,
    kicker: html`Soak, ${plan}, begun ${shown(run.started, 40)}`,
    lead: html`${shown(name, 300)}. Compared with earlier runs: ${comparison.verdict}: ${shown(comparison.reason, 400)}.`,
    before: [factsMarkup(facts), thresholdsTable(service), ...nightsTable(comparison)],
    charts: overTimeCharts(service),
    after: [operationsTable(run)],
  });
}
