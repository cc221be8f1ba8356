import type { SoakReport } from '../soak/run-soak.js';
import {
  type Chart,
  chartsMarkup,
  chartStyle,
  latencyText,
  rounded,
  type Series,
  statusesText,
  thresholdText,
  whole,
} from './load-page.js';
import {
  badge,
  factsMarkup,
  html,
  type Markup,
  type PageParts,
  renderPage,
  shown,
  tableBlock,
  wrap,
} from '../../reports/index.js';
import type { SoakComparison, SoakRun } from '../soak/history.js';
import { answeredOf, type SoakSummary, type SoakWindow } from '../soak/figures.js';

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

function operationsTable({ service, control }: SoakRun): Markup | null {
  const rows: (readonly [string, SoakSummary])[] = [
    ['all', service.total],
    ...service.operations.map((one) => [one.name, one] as const),
    ...(control === null ? [] : [['reference on this machine', control.total] as const]),
  ];
  return tableBlock('operations', 'Operations', rows, {
    sum: 'latency from the scheduled time',
    columns: {
      Operation: ([name]) => shown(name, 120),
      Requests: ([, one]) => whole(one.due),
      Errors: ([, one]) => whole(one.errors),
      'No envelope (ok, data)': ([, one]) => whole(one.bareEnvelopes),
      p50: ([, one]) => latencyText(one.p50Ms),
      p95: ([, one]) => latencyText(one.p95Ms),
      p99: ([, one]) => latencyText(one.p99Ms),
      max: ([, one]) => latencyText(one.maxMs),
      Statuses: ([, one]) => shown(statusesText(one.statuses), 300),
    },
    numbers: ['Requests', 'Errors', 'No envelope (ok, data)', 'p50', 'p95', 'p99', 'max'],
  });
}

const thresholdsTable = ({ thresholds }: SoakReport): Markup | null =>
  tableBlock('thresholds', 'Thresholds', thresholds, {
    columns: {
      Threshold: ({ text }) => html`<code>${shown(text, 80)}</code>`,
      Seen: ({ text, value }) => (value === null ? '–' : thresholdText(text, value)),
      Verdict: ({ value, kept }) =>
        value === null ? badge('blocked', 'not judged') : kept ? badge('pass', 'kept') : badge('fail', 'broken'),
    },
    numbers: ['Seen'],
  });

/** Tonight beside the nights before; nothing where they are too few. */
function nightsTable({ nights }: SoakComparison): Markup | null {
  const text = (name: string, one: number): string => (name === 'errors' ? share(one, 1) : latencyText(one));
  return tableBlock('nights', 'Compared with earlier runs', nights, {
    sum: 'slower: above the median of up to ten earlier runs by more than three median absolute deviations and by at least 5 %, tonight and the night before',
    columns: {
      Figure: ({ name }) => name,
      Tonight: ({ name, value }) => text(name, value),
      Median: ({ name, usual }) => text(name, usual),
      'Median deviation': ({ name, spread }) => text(name, spread),
      Verdict: ({ name, isAbove, isRise }) =>
        isRise
          ? badge('warn', name === 'errors' ? 'more errors' : 'slower')
          : isAbove
            ? 'above, tonight only'
            : 'as usual',
    },
    numbers: ['Tonight', 'Median', 'Median deviation'],
  });
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
  const facts: [string, string | null][] = [
    ['Rate', `${service.ratePerSecond.toLocaleString('en')}/s`],
    ['Took', `${service.seconds.toFixed(0)} s`],
    ['Requests', whole(total.due)],
    ['Errors', `${whole(total.errors)} (${share(total.errors, total.due)})`],
    ['p95', latencyText(total.p95Ms)],
    ['Compared with earlier runs', comparison.verdict],
    ['Trace id', service.traceId ?? null],
  ];
  return renderPage({
    ...verdictOf(service),
    title: `Soak of ${name}`,
    style: chartStyle,
    kicker: html`Soak, ${plan}, begun ${shown(run.started, 40)}`,
    lead: html`<p class="lead">${shown(name, 300)}. Compared with earlier runs: ${comparison.verdict}: ${shown(comparison.reason, 400)}.</p>`,
    main: wrap([
      html`<div class="block">${factsMarkup(facts)}</div>`,
      thresholdsTable(service),
      nightsTable(comparison),
      chartsMarkup(overTimeCharts(service)),
      operationsTable(run),
    ]),
  });
}
