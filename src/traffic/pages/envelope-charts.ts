import {
  type LimiterModel,
  lowerBound,
  modelLabels,
  type ModelName,
  modelOf,
  mostAcceptancesWithin,
  planNumbers,
  tickedBucket,
  upperBound,
} from '../../ratelimit/index.js';
import type { Limit } from '../../settings/index.js';
import { rounded, type Chart, type Series, type Span, type SeriesColour } from './charts.js';
import type { TraceColumns } from './trace-columns.js';

const names = ['sliding', 'fixed', 'mixed', 'bucket', 'bucket-slow', 'spill'] as const;
const colours: readonly SeriesColour[] = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];
const lengths = 96;
const evenEdges = 320;
const edgesAtAnswers = 200;
const clockErrorRate = 0.001;
const quantumMs = 1;

/** The input of a chart of envelopes. */
export interface EnvelopeMaterial {
  readonly columns: TraceColumns;
  readonly limits: readonly Limit[];
  /** The ways to count that are consistent with the trace. */
  readonly admitted: ReadonlySet<ModelName>;
  /** How often the bucket is filled up that explains the trace, where one that is filled up in steps does; else null. */
  readonly tickMs: number | null;
  readonly spans: readonly Span[];
}

/** The models of a plan's numbers, each once: with a single number some are the same curve. A bucket filled up in steps is one only where it explains. */
function readingsOf({ limits, tickMs }: EnvelopeMaterial): LimiterModel[] {
  const numbers = planNumbers(limits);
  const seen = new Set<string>();
  const models = names.map((name) => modelOf(name, numbers));
  return [...models, ...(tickMs === null ? [] : [tickedBucket(numbers, tickMs)])].flatMap((limiter) => {
    const curve = JSON.stringify(limiter.bounds);
    if (seen.has(curve)) return [];
    seen.add(curve);
    return [limiter];
  });
}

/** The most acceptances in a closed interval of that length under a model, the clocks' slack included. */
function allowed(limiter: LimiterModel, lengthMs: number): number {
  const stretched = lengthMs * (1 + clockErrorRate) + quantumMs;
  let least = Infinity;
  for (const { envelope } of limiter.bounds) least = Math.min(least, mostAcceptancesWithin(envelope, stretched));
  return least;
}

function seriesName({ name }: LimiterModel, admitted: ReadonlySet<ModelName>): string {
  return `${modelLabels[name].replace(/ \(.*/, '')}${admitted.has(name) ? '' : ' (ruled out)'}`;
}

/** Stretches that a chart looks at. */
const mostBegins = 100_000;

/** The most requests that were certainly accepted within any stretch of `lengthMs`, of those that begin with every `stride`-th. */
function mostCertain({ acceptedSent, acceptedReceived }: TraceColumns, lengthMs: number, stride = 1): number {
  let most = 0;
  let answered = 0;
  for (let first = 0; first < acceptedSent.length; first += stride) {
    const untilMs = (acceptedSent[first] ?? 0) + lengthMs;
    while (answered < acceptedReceived.length && (acceptedReceived[answered] ?? 0) <= untilMs) answered += 1;
    most = Math.max(most, answered - first);
  }
  return most;
}

/** The most acceptances within any stretch of time, beside what each model allows for a stretch of that length. */
export function stretchChart(material: EnvelopeMaterial): Chart {
  const { columns, limits, admitted } = material;
  const longest = columns.lengthMs;
  const stride = Math.ceil(columns.acceptedSent.length / mostBegins);
  const grid = Array.from({ length: lengths }, (_, at) => longest ** (at / (lengths - 1)));
  const windows = limits
    .flatMap(({ windowSeconds }) => [windowSeconds * 1000 - 2, windowSeconds * 1000 + 2])
    .filter((ms) => ms > 1 && ms < longest);
  const atMs = [...new Set([...grid, ...windows])].sort((a, b) => a - b);
  const series: Series[] = [
    {
      name: 'accepted',
      colour: 'plain',
      style: 'line',
      values: atMs.map((ms) => mostCertain(columns, ms, stride) || null),
    },
    ...readingsOf(material).map((limiter, at): Series => ({
      name: seriesName(limiter, admitted),
      colour: colours[at] ?? 'plain',
      style: admitted.has(limiter.name) ? 'line' : 'dash',
      values: atMs.map((ms) => rounded(allowed(limiter, ms))),
    })),
  ];
  return {
    id: 'stretches',
    title: 'Most requests accepted within any period',
    note: 'Dark line: the most requests accepted within any period of that length. Where it is above another line, the service accepted more than that way to count allows.',
    xName: 'length of the period, seconds',
    yName: 'most acceptances',
    xScale: 'log',
    yScale: 'log',
    x: atMs.map((ms) => rounded(ms / 1000)),
    series,
    spans: [],
    sync: null,
  };
}

function edges({ acceptedSent, lengthMs }: TraceColumns): number[] {
  const even = Array.from({ length: evenEdges + 1 }, (_, at) => (at * lengthMs) / evenEdges);
  const step = Math.max(1, Math.floor(acceptedSent.length / edgesAtAnswers));
  const atAnswers: number[] = [];
  for (let at = 0; at < acceptedSent.length; at += step) atAnswers.push(acceptedSent[at] ?? 0);
  return [...new Set([...even, ...atAnswers].map((ms) => Math.round(ms)))].sort((a, b) => a - b);
}

/**
 * Cumulative accepted and refused requests, with the maximum that each model admits by then given the earlier acceptances: the minimum over
 * every earlier instant of the acceptances sent before it plus the model's allowance since.
 */
export function progressChart(material: EnvelopeMaterial): Chart {
  const { columns, admitted, spans } = material;
  const atMs = edges(columns);
  const before = atMs.map((ms) => lowerBound(columns.acceptedSent, ms));
  const bound = (limiter: LimiterModel): number[] =>
    atMs.map((endMs, j) => {
      let least = Infinity;
      for (let i = 0; i <= j; i += 1)
        least = Math.min(least, (before[i] ?? 0) + allowed(limiter, endMs - (atMs[i] ?? 0)));
      return rounded(least);
    });
  const series: Series[] = [
    {
      name: 'accepted',
      colour: 'accepted',
      style: 'step',
      values: atMs.map((ms) => upperBound(columns.acceptedReceived, ms)),
    },
    {
      name: 'refused',
      colour: 'refused',
      style: 'step',
      values: atMs.map((ms) => upperBound(columns.refusedReceived, ms)),
      // With so few acceptances, the curve of refusals would flatten all others.
      hidden: columns.refusedReceived.length > 3 * columns.acceptedReceived.length,
    },
    ...readingsOf(material).map((limiter, at): Series => ({
      name: `most by ${seriesName(limiter, admitted)}`,
      colour: colours[at] ?? 'plain',
      style: 'dash',
      values: bound(limiter),
    })),
  ];
  return {
    id: 'progress',
    title: 'Accepted and refused so far, and the most that each way to count allows',
    note: 'Dashed line: the most that one way to count allows up to that time, given the earlier accepted requests. Accepted requests above it rule that way out.',
    xName: 'seconds since the first request',
    yName: 'requests',
    xScale: 'even',
    yScale: 'even',
    x: atMs.map((ms) => rounded(ms / 1000)),
    series,
    spans,
    sync: 'time',
  };
}
