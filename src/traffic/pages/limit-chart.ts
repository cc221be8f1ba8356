import {
  type LimiterModel,
  lowerBound,
  modelOf,
  mostAcceptancesWithin,
  planNumbers,
  tickedBucket,
  type TraceRecord,
  upperBound,
} from '../../ratelimit/index.js';
import type { Limit } from '../../settings/index.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { type Chart, rounded, type Series, type SeriesColour } from './load-page.js';

const colours: readonly SeriesColour[] = ['first', 'third'];
const columns = 600;
/** So much shorter than a window is what is looked at that it is no longer than one by the service's clock. */
const lookedAtMs = ({ windowSeconds }: Limit): number => (windowSeconds * 1000 - 2) / 1.001;

/** The ways to count that explain every answer; where none does, fixed windows. */
function limitersOf({ models, trace }: PlanVerdict): readonly LimiterModel[] {
  const numbers = planNumbers(trace.subject.limits);
  const explaining = models
    .filter(({ admitted }) => admitted)
    .flatMap(({ name, tickMs }) =>
      name !== 'bucket-ticked' ? [modelOf(name, numbers)] : tickMs === null ? [] : [tickedBucket(numbers, tickMs)],
    );
  return explaining.length > 0 ? explaining : [modelOf('fixed', numbers)];
}

/** The most requests that one of some ways to count accepts within one window of a limit. */
function mostWithin(limiters: readonly LimiterModel[], { windowSeconds }: Limit): number {
  const lengthMs = windowSeconds * 1000 - 1;
  const allowed = ({ bounds }: LimiterModel): number =>
    Math.min(...bounds.map(({ envelope }) => mostAcceptancesWithin(envelope, lengthMs)));
  return Math.floor(Math.max(...limiters.map(allowed)));
}

/** When an answer was in; when its request was sent, where none came. */
const settledMs = ({ sentMs, receivedMs }: TraceRecord): number => (Number.isFinite(receivedMs) ? receivedMs : sentMs);

/**
 * The picture of a plan's limits: how many requests were certainly accepted within the window that ends at each instant, as a share of the
 * most that the ways to count allow which explain every answer (where none does: that windows allow); and where requests were refused.
 */
export function limitChart(verdict: PlanVerdict): Chart {
  const { trace } = verdict;
  const isExplained = verdict.models.some(({ admitted }) => admitted);
  const limiters = limitersOf(verdict);
  const { limits } = trace.subject;
  const { records, steps } = trace.conducted;
  const sent: number[] = [];
  const received: number[] = [];
  const refusedAt: number[] = [];
  let [originMs, endMs] = [Infinity, -Infinity];
  for (const record of records) {
    const { outcome, sentMs } = record;
    if (outcome === 'unsent') continue;
    const ms = settledMs(record);
    originMs = Math.min(originMs, sentMs);
    endMs = Math.max(endMs, ms);
    if (outcome === 'refused') refusedAt.push(ms);
    if (outcome !== 'accepted') continue;
    sent.push(sentMs);
    received.push(ms);
  }
  if (originMs > endMs) [originMs, endMs] = [0, 1];
  const [begins, ends] = [Float64Array.from(sent).sort(), Float64Array.from(received).sort()];
  const columnMs = Math.max(1, endMs - originMs) / columns;
  const columnOf = (ms: number): number => Math.min(columns - 1, Math.floor((ms - originMs) / columnMs));
  let flag = null as NonNullable<Chart['flag']> | null;
  const lines = limits.map((limit, place): Series => {
    const most = mostWithin(limiters, limit);
    const values = new Array<number>(columns).fill(0);
    const share = (ms: number): number => {
      const count = upperBound(ends, ms) - lowerBound(begins, ms - lookedAtMs(limit));
      if (count > most && (flag === null || (ms - originMs) / 1000 < flag.x))
        flag = {
          x: rounded((ms - originMs) / 1000),
          y: rounded((100 * count) / most),
          text: `${count.toLocaleString('en')} accepted within ${limit.windowSeconds} s`,
        };
      return (100 * Math.max(0, count)) / most;
    };
    for (let at = 0; at < columns; at += 1) values[at] = share(originMs + at * columnMs);
    // Each answer, too, so that no peak falls between two columns.
    for (const ms of ends) values[columnOf(ms)] = Math.max(values[columnOf(ms)] ?? 0, share(ms));
    return {
      name: `accepted within ${limit.windowSeconds} s: 100 % are ${most.toLocaleString('en')}`,
      colour: colours[place] ?? 'other',
      style: 'line',
      values: values.map(rounded),
    };
  });
  const marks = new Array<number | null>(columns).fill(null);
  for (const ms of refusedAt) marks[columnOf(ms)] = 0;
  const secondsAt = (at: number | undefined): number =>
    ((records[Math.min(at ?? 0, records.length - 1)]?.sentMs ?? originMs) - originMs) / 1000;
  return {
    id: 'limit',
    title: 'Accepted requests, beside the most that is allowed',
    note: isExplained
      ? 'Above 100 %, more would have been accepted within that time than the ways to count allow that fit every answer.'
      : 'Above 100 %, more was accepted within that time than fixed windows allow, wherever they begin.',
    xName: 'seconds since the first request',
    yName: '% of the most allowed',
    yScale: 'even',
    x: Array.from({ length: columns }, (_, at) => rounded((at * columnMs) / 1000)),
    series: [
      { name: 'the most allowed', colour: 'refused', style: 'dash', values: new Array<number>(columns).fill(100) },
      ...lines,
      { name: 'refused requests', colour: 'refused', style: 'marks', values: marks },
    ],
    spans: steps
      .filter(({ count, firstIndex }) => count > 1 && firstIndex < records.length)
      .map(({ scenario, firstIndex, count }) => ({
        name: scenario,
        from: secondsAt(firstIndex),
        to: secondsAt(firstIndex + count - 1),
      })),
    flag,
  };
}
