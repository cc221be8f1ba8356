import {
  accepted,
  argsort,
  codesOf,
  coreOf,
  other,
  refused,
  type TextField,
  type TraceRecord,
  unsent,
} from '../../ratelimit/index.js';
import { rounded, type Chart, type Series, type Span } from './charts.js';
import { settledMs, type TraceColumns } from './trace-columns.js';

const bins = 600;

type Fold = (before: number | null, value: number) => number;

const lowest: Fold = (before, value) => (before === null || value < before ? value : before);
const highest: Fold = (before, value) => (before === null || value > before ? value : before);
const sum: Fold = (before, value) => (before ?? 0) + value;

type Bins = ReturnType<typeof openBins>;

/** Values gathered into bins of equal length over a trace. */
function openBins({ originMs, lengthMs }: TraceColumns, fold: Fold) {
  const values: (number | null)[] = Array.from({ length: bins }, () => null);
  const add = (atMs: number, value: number): void => {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((atMs - originMs) / lengthMs) * bins)));
    values[bin] = fold(values[bin] ?? null, value);
  };
  return { values, add };
}

function timeChart(
  columns: TraceColumns,
  spans: readonly Span[],
  parts: Pick<Chart, 'id' | 'title' | 'note' | 'yName' | 'series'>,
): Chart {
  const x = Array.from({ length: bins }, (_, at) => rounded((at * columns.lengthMs) / bins / 1000));
  return { ...parts, xName: 'seconds since the first request', xScale: 'even', yScale: 'even', x, spans, sync: 'time' };
}

/** Answers a second by what they were. */
export function answersChart(records: readonly TraceRecord[], columns: TraceColumns, spans: readonly Span[]): Chart {
  const perSecond = 1000 / (columns.lengthMs / bins);
  const core = coreOf(records);
  const series = (['accepted', 'refused', 'other'] as const).map((kind, place): Series => {
    const counts = openBins(columns, sum);
    core.outcome.forEach((outcome, at) => {
      if (outcome !== unsent && Math.min(outcome, other) === place) counts.add(settledMs(core, at), 1);
    });
    const values = counts.values.map((count) => rounded((count ?? 0) * perSecond));
    return { name: kind, colour: kind, style: 'step', values };
  });
  return timeChart(columns, spans, {
    id: 'answers',
    title: 'Accepted and refused over time',
    note: 'Answers per second, by the time they arrived. Other: another status, a broken connection or a timeout.',
    yName: 'answers a second',
    series,
  });
}

/** What a header says at each record, where it is a whole number. */
function numbersOf(records: readonly TraceRecord[], field: TextField): (at: number) => number | null {
  const { codes, table } = codesOf(records, field);
  return (at) => {
    const number = table.numberOf(codes[at] ?? 0);
    return Number.isNaN(number) ? null : number;
  };
}

/** Numbers that one trace's headers gave, beside what came to pass; null where no answer carried any. */
export function headerCharts(records: readonly TraceRecord[], columns: TraceColumns, spans: readonly Span[]): Chart[] {
  const remaining = {
    least: openBins(columns, lowest),
    most: openBins(columns, highest),
    seen: openBins(columns, highest),
  };
  const reset = {
    least: openBins(columns, lowest),
    most: openBins(columns, highest),
    retry: openBins(columns, highest),
    seen: openBins(columns, highest),
  };
  let refusalMs: number | null = null;
  let acceptedMs: number | null = null;
  let admitted = 0;
  // Backwards, so that each answer knows what came after it.
  const core = coreOf(records);
  const { outcome, sentMs } = core;
  const [numbers = () => null, resets = () => null, retries = () => null] = (
    ['remaining', 'reset', 'retryAfter'] as const
  ).map((field) => numbersOf(records, field));
  for (const at of argsort(sentMs).reverse()) {
    if (outcome[at] === unsent) continue;
    const left = numbers(at);
    const resetSeconds = resets(at);
    const retrySeconds = retries(at);
    const atMs = settledMs(core, at);
    if (left !== null) {
      remaining.least.add(atMs, left);
      remaining.most.add(atMs, left);
      const within = refusalMs !== null && (resetSeconds === null || refusalMs - atMs <= resetSeconds * 1000);
      if (within) remaining.seen.add(atMs, outcome[at] === refused ? 0 : admitted);
    }
    if (resetSeconds !== null) {
      reset.least.add(atMs, resetSeconds);
      reset.most.add(atMs, resetSeconds);
    }
    if (retrySeconds !== null) reset.retry.add(atMs, retrySeconds);
    if (outcome[at] === refused) {
      if (acceptedMs !== null) reset.seen.add(atMs, rounded(Math.max(0, acceptedMs - atMs) / 1000));
      refusalMs = sentMs[at] ?? 0;
      admitted = 0;
    } else if (outcome[at] === accepted) {
      acceptedMs = sentMs[at] ?? 0;
      admitted += 1;
    }
  }
  /** A chart of these lines; none where no answer advertised any. */
  const pointsChart = (
    parts: Omit<Parameters<typeof timeChart>[2], 'series'>,
    advertised: readonly (readonly [string, Series['colour'], Bins])[],
    seen: Bins,
  ): Chart[] => {
    if (!advertised.some(([, , { values }]) => values.some((value) => value !== null))) return [];
    const lines = [...advertised, ['seen', 'plain', seen] as const];
    const series = lines.map(([name, colour, { values }]): Series => ({ name, colour, style: 'points', values }));
    return [timeChart(columns, spans, { ...parts, series })];
  };
  return [
    ...pointsChart(
      {
        id: 'remaining',
        title: 'RateLimit-Remaining, and how many more requests were accepted',
        note: 'Seen: the requests accepted after that answer until the next refusal, if a refusal came before the advertised reset. Requests in flight make the two lines differ a little.',
        yName: 'requests',
      },
      [
        ['advertised, most', 'first', remaining.most],
        ['advertised, least', 'second', remaining.least],
      ],
      remaining.seen,
    ),
    ...pointsChart(
      {
        id: 'reset',
        title: 'RateLimit-Reset and Retry-After, and when the service accepted again',
        note: 'Seen: the time from a refusal to the next accepted request. The service may accept earlier than that, if no request was sent earlier.',
        yName: 'seconds',
      },
      [
        ['reset, most', 'first', reset.most],
        ['reset, least', 'second', reset.least],
        ['retry-after', 'fourth', reset.retry],
      ],
      reset.seen,
    ),
  ];
}
