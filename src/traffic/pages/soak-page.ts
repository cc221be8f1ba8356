import type { SoakReport, SoakSummary, SoakWindow } from '../soak/run-soak.js';
import {
  type Chart,
  factsMarkup,
  latencyText,
  numberColumns,
  type PageParts,
  renderLoadShell,
  rounded,
  type Series,
  statusesText,
  tableMarkup,
  thresholdText,
  whole,
} from './load-page.js';
import { html, type Markup, shown } from '../../reports/index.js';
import type { SoakComparison, SoakRun } from '../soak/history.js';
import { answeredOf } from '../soak/thresholds.js';

/** Latency and outcomes over the length of a soak. */
function overTimeCharts({ windows, windowSeconds }: SoakReport): Chart[] {
  const shared = { xName: 'seconds since the start', x: windows.map((one) => rounded(one.startSeconds)) } as const;
  // A gap where none was measured.
  const latency = (name: string, colour: Series['colour'], figure: keyof SoakWindow): Series => ({
    ...{ name, colour, style: 'line' },
    values: windows.map(({ [figure]: ms }) => (ms > 0 ? rounded(ms) : null)),
  });
  const rate = (name: string, colour: Series['colour'], figure: 'due' | 'errors'): Series => ({
    ...{ name, colour, style: 'step' },
    values: windows.map(({ [figure]: count }) => rounded(count / windowSeconds)),
  });
  return [
    {
      ...shared,
      id: 'latency',
      title: 'Latency over time',
      note: 'Milliseconds from the instant a request was scheduled, so that waiting for the service counts too.',
      yName: 'milliseconds',
      yScale: 'log',
      series: [
        latency('p50', 'first', 'p50Ms'),
        latency('p95', 'second', 'p95Ms'),
        latency('p99', 'third', 'p99Ms'),
        latency('max', 'other', 'maxMs'),
      ],
    },
    {
      ...shared,
      id: 'outcomes',
      title: 'Requests over time',
      note: 'Error: a status of 400 or above, no answer in time, a broken connection, or an answer without the envelope (ok, data).',
      yName: 'a second',
      yScale: 'even',
      series: [rate('scheduled', 'accepted', 'due'), rate('errors', 'refused', 'errors')],
    },
  ];
}

/** Input of the page. */
interface SoakPageOptions {
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

const badge = (kind: 'blocked' | 'pass' | 'fail' | 'warn', text: string): Markup =>
  html`<span class="${kind}"><span class="badge">${text}</span></span>`;

function thresholdsTable(report: SoakReport): Markup {
  const rows = report.thresholds.map(({ text, value, kept }) => [
    html`<code>${shown(text, 80)}</code>`,
    value === null ? '–' : thresholdText(text, value),
    value === null ? badge('blocked', 'not judged') : kept ? badge('pass', 'kept') : badge('fail', 'broken'),
  ]);
  const columns = [{ name: 'Threshold' }, ...numberColumns('Seen'), { name: 'Verdict' }];
  return tableMarkup('thresholds', 'Thresholds', '', columns, rows);
}

/** Tonight beside the nights before; nothing where they are too few. */
function nightsTable({ nights }: SoakComparison): Markup {
  const rows = nights.map(({ name, value, usual, spread, isAbove, isRise }) => {
    const text = (one: number): string => (name === 'errors' ? share(one, 1) : latencyText(one));
    const verdict = isRise
      ? badge('warn', name === 'errors' ? 'more errors' : 'slower')
      : isAbove
        ? 'above, tonight only'
        : 'as usual';
    return [name, text(value), text(usual), text(spread), verdict];
  });
  return tableMarkup(
    'nights',
    'Compared with earlier runs',
    'slower: above the median of up to ten earlier runs by more than three median absolute deviations and by at least 5 %, tonight and the night before',
    [{ name: 'Figure' }, ...numberColumns('Tonight', 'Median', 'Median deviation'), { name: 'Verdict' }],
    rows,
  );
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
    before: [factsMarkup(facts), thresholdsTable(service), nightsTable(comparison)],
    charts: overTimeCharts(service),
    after: [operationsTable(run)],
  });
}
