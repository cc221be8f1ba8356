import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  badge,
  blockMarkup,
  factsMarkup,
  html,
  type Markup,
  type PageParts,
  renderPage,
  shown,
  tableBlock,
  wrap,
} from '../../reports/index.js';
import {
  type LimiterModel,
  lowerBound,
  modelLabels,
  modelOf,
  mostAcceptancesWithin,
  planNumbers,
  type TraceRecord,
  upperBound,
} from '../../ratelimit/index.js';
import { type Limit, type LimitModel, writeWhole } from '../../settings/index.js';
import { booksOf } from '../engine/drive.js';
import { beyondPlan } from '../limit-rules.js';
import { recordsOf, tallyOf } from '../limit-traces.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import {
  type Chart,
  chartsMarkup,
  chartStyle,
  ms,
  rounded,
  type Series,
  type SeriesColour,
  whole,
} from './load-page.js';

const colours: readonly SeriesColour[] = ['first', 'third'];
const columns = 600;
/** So much shorter than a window is what is looked at that it is no longer than one by the service's clock. */
const lookedAtMs = ({ windowSeconds }: Limit): number => (windowSeconds * 1000 - 2) / 1.001;

/** The ways to count that explain every answer; where none does, fixed windows. */
function limitersOf({ models, trace }: PlanVerdict): readonly LimiterModel[] {
  const numbers = planNumbers(trace.subject.limits);
  const explaining = models
    .filter(({ admitted }) => admitted)
    .map(({ name, tickMs }) => modelOf(name, numbers, tickMs ?? 0));
  return explaining.length > 0 ? explaining : [modelOf('fixed', numbers)];
}

/** The most requests that each of some ways to count accepts within one window of a limit. */
function mostWithin(limiters: readonly LimiterModel[], { windowSeconds }: Limit): number {
  const lengthMs = windowSeconds * 1000 - 1;
  const allowed = ({ bounds }: LimiterModel): number =>
    Math.min(...bounds.map(({ envelope }) => mostAcceptancesWithin(envelope, lengthMs)));
  return Math.floor(Math.min(...limiters.map(allowed)));
}

/** When an answer was in; when its request was sent, where none came. */
const settledMs = ({ sentMs, receivedMs }: TraceRecord): number => (Number.isFinite(receivedMs) ? receivedMs : sentMs);

/**
 * The picture of a plan's limits: how many requests were certainly accepted within the window that ends at each instant, as a share of the
 * most that every way to count allows which explains all answers (where none does: that windows allow); and where requests were refused.
 */
export function limitChart(verdict: PlanVerdict): Chart {
  const { trace } = verdict;
  const isBroken = verdict.violations.length > 0;
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
  const mosts = limits.map((limit) => mostWithin(limiters, limit));
  const lines = limits.map((limit, place): Series => {
    const most = mosts[place] ?? limit.count;
    const values = new Array<number>(columns).fill(0);
    const share = (ms: number): number => {
      const count = upperBound(ends, ms) - lowerBound(begins, ms - lookedAtMs(limit));
      if (isBroken && count > most && (flag === null || (ms - originMs) / 1000 < flag.x))
        flag = {
          x: rounded((ms - originMs) / 1000),
          y: rounded((100 * count) / most),
          text: `${whole(count)} accepted within ${limit.windowSeconds} s, at most ${whole(most)} allowed`,
        };
      return (100 * Math.max(0, count)) / most;
    };
    for (let at = 0; at < columns; at += 1) values[at] = share(originMs + at * columnMs);
    // Each answer, too, so that no peak falls between two columns.
    for (const ms of ends) values[columnOf(ms)] = Math.max(values[columnOf(ms)] ?? 0, share(ms));
    return {
      name: `accepted in the ${limit.windowSeconds} s before: 100 % are ${whole(most)}`,
      colour: colours[place] ?? 'other',
      style: 'line',
      values: values.map(rounded),
    };
  });
  const allowed = limits
    .map(({ windowSeconds }, at) => `${whole(mosts[at] ?? 0)} in any ${windowSeconds} s`)
    .join(', ');
  const isDoubled = limits.some(({ count }, at) => (mosts[at] ?? 0) > count);
  const unjustified = verdict.violations.find(({ id }) => id === 'LIMIT-01')?.records.at(-1);
  const refusal = records.find(({ index }) => index === unjustified);
  if (flag === null && refusal !== undefined)
    flag = { x: rounded((settledMs(refusal) - originMs) / 1000), y: 0, text: 'refused within the limit' };
  const marks = new Array<number | null>(columns).fill(null);
  for (const ms of refusedAt) marks[columnOf(ms)] = 0;
  const secondsAt = (at: number | undefined): number =>
    ((records[Math.min(at ?? 0, records.length - 1)]?.sentMs ?? originMs) - originMs) / 1000;
  return {
    id: 'limit',
    title: 'Accepted requests, beside the most that is allowed',
    note: `No line may be above 100 %.${isDoubled ? ' As a window may end and the next one begin at any instant, more than the limit may be accepted within its time.' : ''} Each red mark is a refusal.`,
    xName: 'seconds since the first request',
    yName: '% of the most allowed',
    yScale: 'even',
    x: Array.from({ length: columns }, (_, at) => rounded((at * columnMs) / 1000)),
    series: [
      {
        name: `most allowed: ${allowed}`,
        colour: 'refused',
        style: 'dash',
        values: new Array<number>(columns).fill(100),
      },
      ...lines,
      { name: 'refused requests', colour: 'refused', style: 'marks', values: marks },
    ],
    spans: steps
      .filter(({ count, firstIndex }) => count > 1 && firstIndex < records.length)
      .map(({ step, firstIndex, count }) => ({
        name: step.scenario,
        from: secondsAt(firstIndex),
        to: secondsAt(firstIndex + count - 1),
      })),
    flag,
  };
}

/** Options of the page about one plan's limits. `redact` removes secrets from the target's answers. */
interface LimitPageOptions {
  readonly target: string;
  readonly model: LimitModel;
  readonly redact?: (text: string) => string;
  /** Whether conformance.html stands in the folder above. */
  readonly hasReport?: boolean;
  /** Whether the run sent the traffic of one scenario only, which does not decide on the whole limit. */
  readonly isAlone?: boolean;
}

const longestSentence = 900;

/** The breaches and warnings of one plan, each with the requirement it belongs to. */
function findings(
  verdict: PlanVerdict,
  { hasReport }: LimitPageOptions,
  clean: (text: string) => string,
): Markup | null {
  const all = [...verdict.violations.map((one) => ({ ...one, severity: 'fail' as const })), ...verdict.headers];
  if (all.length === 0) return null;
  const items = all.map(
    ({ id, severity, expected, actual }) =>
      html`<li class="${severity}">${badge(severity, severity === 'fail' ? 'breach' : 'advice')} <span class="id">${hasReport === true ? html`<a href="../conformance.html#${id}">${id}</a>` : id}</span>${hasReport === true ? html`<a href="../conformance.html#${id}-required">what is required</a>; ` : null}expected: ${shown(clean(expected), longestSentence)}; seen: ${shown(clean(actual), longestSentence)}</li>`,
  );
  return blockMarkup('findings', 'Findings', html`<ul class="sheet findings-list">${items}</ul>`);
}

const modelsTable = ({ models }: PlanVerdict, clean: (text: string) => string): Markup | null =>
  tableBlock('models', 'Ways to count the limit', models, {
    sum: 'a service may count its limits in any of these ways; it conforms if at least one of them explains every answer',
    columns: {
      'Way to count (LIMIT_MODEL)': ({ name }) => modelLabels[name],
      Verdict: ({ admitted }) => (admitted ? badge('pass', 'consistent') : badge('not-applicable', 'ruled out')),
      'Why it is ruled out': ({ reason, needsRefusalsCounted }) =>
        shown(clean(reason ?? (needsRefusalsCounted ? 'only if refused requests count too' : '')), longestSentence),
    },
  });

function stepsTable({ trace: { conducted } }: PlanVerdict): Markup | null {
  const rows = conducted.steps.map((step) => ({ ...step, ...booksOf(recordsOf(conducted, step)) }));
  return tableBlock('steps', 'What was sent', rows, {
    sum: 'sent = answered + failed + timed out; not sent: no connection was free; late: time from the scheduled instant to sending',
    columns: {
      Scenario: ({ step }) => step.scenario,
      Planned: ({ count }) => whole(count),
      Sent: ({ sent }) => whole(sent),
      Answered: ({ answered }) => whole(answered),
      Failed: ({ failed }) => whole(failed),
      'Timed out': ({ timeout }) => whole(timeout),
      'Not sent': ({ unsent }) => whole(unsent),
      'Late, p99': ({ lateMs }) => ms(lateMs),
    },
    numbers: ['Planned', 'Sent', 'Answered', 'Failed', 'Timed out', 'Not sent', 'Late, p99'],
  });
}

/** The heading of a plan's page. */
function headOf(verdict: PlanVerdict, isAlone = false): Pick<PageParts, 'tone' | 'heading'> {
  if (verdict.violations.length > 0) return { tone: 'fail', heading: 'The limit is not kept' };
  if (verdict.headers.some((one) => one.severity === 'fail')) return { tone: 'fail', heading: 'The headers are wrong' };
  if (isAlone && verdict.foreign === null) return { tone: 'pass', heading: 'This scenario shows no breach' };
  const weak = verdict.foreign !== null || verdict.weak.within !== null || verdict.weak.beyond !== null;
  return weak ? { tone: 'blocked', heading: 'Not fully judged' } : { tone: 'pass', heading: 'The limit is kept' };
}

/** The verdict in one sentence, for the operator of the service. */
function verdictSentence({ violations, headers, models, trace }: PlanVerdict, flag: Chart['flag']): string {
  const { burst, sustained } = planNumbers(trace.subject.limits);
  const beyond = ({ count, windowSeconds }: Limit): string =>
    `The service accepts more requests than ${whole(count)} in ${windowSeconds} s allow, however they are counted`;
  const says: Readonly<Record<string, string>> = {
    'LIMIT-01': 'The service refuses requests that are within the limit, however it is counted',
    'LIMIT-02': beyond(burst),
    'LIMIT-03': beyond(sustained ?? burst),
  };
  const { sent, count } = tallyOf({ conducted: trace.conducted });
  const seen = flag == null ? '' : ` (${flag.text}, ${flag.x.toFixed(1)} s after the first request)`;
  if (violations.length > 0)
    return `${[...new Set(violations.map(({ id }) => says[id]))].join('. ')}${seen}. ${whole(count('accepted'))} of ${whole(sent)} requests were accepted`;
  const breach = headers.find((one) => one.severity === 'fail');
  if (breach !== undefined) return `Expected: ${breach.expected}; seen: ${breach.actual}`;
  const names = [...new Set(models.filter(({ admitted }) => admitted).map(({ name }) => modelLabels[name]))];
  return names.length > 0
    ? `Every answer fits this way to count the limit: ${names.join('; or ')}`
    : 'None of the ways to count the limit fits every answer';
}

/** The page about one plan: the verdict in a sentence, what was seen beside what is allowed, the ways to count. */
export function renderLimitPage(verdict: PlanVerdict, options: LimitPageOptions): string {
  const clean = options.redact ?? ((text: string): string => text);
  const { subject } = verdict.trace;
  const { hasReport } = options;
  const limits = subject.limits.map((limit) => `${whole(limit.count)} in ${limit.windowSeconds} s`).join(' and ');
  const { isAlone = false } = options;
  const weak = isAlone ? [] : [verdict.weak.within, verdict.weak.beyond];
  const reasons = [verdict.foreign, ...weak].filter((one) => one !== null);
  const { sent } = tallyOf(verdict.trace);
  const { writes: _, ...reads } = verdict.trace;
  const { sent: own, count } = tallyOf(reads);
  const { steps } = verdict.trace.conducted;
  const chart = limitChart(verdict);
  const tookMs = (steps.at(-1)?.endedMs ?? 0) - (steps[0]?.startedMs ?? 0);
  const ofShown = sent === own ? '' : ' of those shown';
  const facts: [string, string][] = [
    [
      'Requests',
      sent === own ? whole(sent) : `${whole(sent)}: ${whole(own)} shown here, the others to see whether creates count`,
    ],
    [`Accepted${ofShown}`, whole(count('accepted'))],
    [`Refused${ofShown}`, whole(count('refused'))],
    ['Refused with', verdict.refusals.length === 0 ? 'no request was refused' : verdict.refusals.join(', ')],
    ['Took', `${(tookMs / 1000).toFixed(1)} s`],
    ...beyondPlan(verdict).map(([how, why]): [string, string] => [`Load ${how}`, clean(why)]),
    ['LIMIT_MODEL', options.model],
  ];
  const link = hasReport === true ? html`, <a href="../conformance.html">whole report</a>` : null;
  const rest = isAlone ? ' "load" without --scenario judges the whole limit.' : '';
  const because = reasons.map((reason) => html` ${shown(clean(reason), longestSentence)}.`);
  return renderPage({
    ...headOf(verdict, isAlone),
    title: `Limits of ${subject.plan}: ${clean(options.target)}`,
    style: chartStyle,
    kicker: html`Limits of the ${subject.plan} plan${subject.keyName === null ? null : html`, ${subject.keyName}`}: ${limits}`,
    lead: html`<p class="lead">${shown(clean(verdictSentence(verdict, chart.flag)), longestSentence)}.${because}${rest} <span class="quiet">${shown(clean(options.target), 300)}${link}</span></p>`,
    main: wrap([
      chartsMarkup([chart]),
      modelsTable(verdict, clean),
      findings(verdict, options, clean),
      html`<div class="block">${factsMarkup(facts)}</div>`,
      stepsTable(verdict),
    ]),
  });
}

/** Writes `load/<name>.html` and hands back its path. */
export function writePage(out: string, name: string, source: string): string {
  mkdirSync(join(out, 'load'), { recursive: true });
  const file = join(out, 'load', `${name}.html`);
  writeWhole(file, source);
  return file;
}

/** Writes `load/<plan>.html` for each plan that was judged, and hands back their paths. */
export function writeLoadPages(out: string, verdicts: readonly PlanVerdict[], options: LimitPageOptions): string[] {
  return verdicts.map((verdict) => writePage(out, verdict.trace.subject.plan, renderLimitPage(verdict, options)));
}
