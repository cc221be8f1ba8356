import {
  type AdmissionBound,
  type Excess,
  type Justification,
  type LimitRole,
  mostAcceptancesWithin,
} from './model.js';
import type { Limit } from '../settings/index.js';
import type { Interlude, RefillExcess } from './admission/refill.js';
import type { SpareExcess } from './admission/spare-excess.js';
import { indexOf, type RequestGroups, type RequestIntervals } from './request-intervals.js';

/** An instant in a sentence, in seconds after the first request. */
export function formatInstant(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100_000 ? 3 : 2)} s`;
}

/** A length of time in a sentence. */
export function formatDuration(ms: number): string {
  return `${Number((ms / 1000).toPrecision(4))} s`;
}

/** A whole number, or one decimal where it is not whole. */
export function formatCount(number: number): string {
  return Number.isInteger(number) ? String(number) : number.toFixed(1);
}

/** Why a model cannot have produced a trace: one sentence, and the records it speaks of (their `index`, the decisive one last). */
export interface Counterevidence {
  readonly part: LimitRole | 'refusal';
  readonly sentence: string;
  /** The same for the vendor, without the trace. */
  readonly plain?: string;
  readonly records: readonly number[];
  /** When the decisive answer was in, for telling which contradiction came first. */
  readonly atMs: number;
  /** How many refusals it has no explanation for. */
  readonly refusals?: number;
  /** Whatever the numbers are, they are not kept in this way. */
  readonly whateverNumbers?: true;
}

/** `request 7, sent at 1.000 s and answered at 1.005 s`. */
export function decided(columns: RequestIntervals, k: number): string {
  const [sentMs, receivedMs] = [columns.sent[k] ?? 0, columns.received[k] ?? 0];
  return `request ${indexOf(columns, k)}, sent at ${formatInstant(sentMs)} and answered at ${formatInstant(receivedMs)}`;
}

/** A contradiction that some records show, `k` the decisive one; `others` have their own numbers. */
export function against(
  part: Counterevidence['part'],
  columns: RequestIntervals,
  k: number,
  sentence: string,
  more: Partial<Counterevidence> = {},
  others: readonly number[] = [],
): Counterevidence {
  return { part, sentence, records: [...others, indexOf(columns, k)], atMs: columns.received[k] ?? 0, ...more };
}

const everyWindow = ({ count, windowSeconds }: Limit): string =>
  `${formatCount(count)} every ${formatDuration(windowSeconds * 1000)}`;

const flowing = (capacity: number, perMs: number): string =>
  `${formatCount(capacity)} and ${formatCount(perMs * 1000)} a second`;

function allowance({ envelope }: AdmissionBound): string {
  if (envelope.kind === 'line') return flowing(envelope.capacity, envelope.perMs);
  return `${formatCount(mostAcceptancesWithin(envelope, 1e-9))} and ${formatCount(envelope.perWindow)} more every ${formatDuration(envelope.windowMs)}`;
}

/** Acceptances that are certainly too close together. */
export function tooMany(accepted: RequestIntervals, bound: AdmissionBound, excess: Excess): Counterevidence {
  const { envelope } = bound;
  const { allowed, lengthMs, first, last } = excess;
  const isStep = envelope.kind === 'step';
  // An interval shorter than the limit's own window is named by that window.
  const isOwn = isStep && envelope.rounding === 'floor' && allowed === envelope.perWindow;
  const within = `within ${formatDuration(isOwn ? envelope.windowMs : lengthMs)}`;
  const wherever = isStep && envelope.rounding === 'ceil' ? ', wherever its windows begin' : '';
  const limit = isStep
    ? `${formatCount(envelope.perWindow)} in ${formatDuration(envelope.windowMs)}`
    : `a bucket of ${flowing(envelope.capacity, envelope.perMs)}`;
  return against(
    bound.part,
    accepted,
    last,
    `too many requests accepted: ${excess.accepted} ${within}, from ${formatInstant(accepted.sent[first] ?? 0)} on; ` +
      `the limit (${allowance(bound)}) allows ${formatCount(allowed)}; the last was ${decided(accepted, last)}`,
    {
      plain: `You let ${excess.accepted} requests through in ${formatDuration(lengthMs)}; ${limit} allows at most ${Math.floor(allowed)}${wherever}`,
    },
    [indexOf(accepted, first)],
  );
}

type Answered = Pick<RequestGroups, 'accepted' | 'refused'>;

/** Acceptances that cannot have flowed into a bucket since it refused. */
export function tooManyAfter({ accepted, refused }: Answered, part: LimitRole, excess: RefillExcess): Counterevidence {
  const before = indexOf(refused, excess.refusal);
  return against(
    part,
    accepted,
    excess.last,
    `too many requests accepted after a refusal: ${excess.accepted} within ${formatDuration(excess.lengthMs)} after request ` +
      `${before} was refused; the bucket can have refilled by ${excess.allowed}; the last was ${decided(accepted, excess.last)}`,
    {},
    [before],
  );
}

/** Two refusals too close together for a bucket to be refilled and emptied again in between. */
export function tooSoonEmpty({ accepted, refused }: Answered, interlude: Interlude, least: number): Counterevidence {
  const [before, after] = [indexOf(refused, interlude.before), indexOf(refused, interlude.after)];
  return against(
    'both',
    accepted,
    interlude.accepted,
    `refused too soon again: requests ${before} and ${after} were refused, and at most ${interlude.most} can have counted between them ` +
      `(${decided(accepted, interlude.accepted)}, was accepted); a bucket refilled in steps accepts ${formatCount(least)} before it is empty again`,
    { atMs: refused.received[interlude.after] ?? 0, whateverNumbers: true },
    [before, after],
  );
}

/** Bursts that took more than there was to spare. */
export function overSpent(accepted: RequestIntervals, base: Limit, spare: Limit, excess: SpareExcess): Counterevidence {
  return against(
    'burst',
    accepted,
    excess.last,
    `${formatCount(excess.spared)} requests accepted above ${everyWindow(base)}, in ${excess.bursts} bursts within ${formatDuration(excess.lengthMs)}; ` +
      `the extra allowance of ${everyWindow(spare)} permits ${formatCount(excess.allowed)}; the last was ${decided(accepted, excess.last)}`,
    { whateverNumbers: true },
    [indexOf(accepted, excess.first)],
  );
}

function stateOf(justification: Justification): string {
  if (justification.kind === 'bucket')
    return `a bucket of ${formatCount(justification.capacity)} requests that refills by ${formatCount(justification.perMs * 1000)} a second`;
  const counted = `${formatCount(justification.count)} requests`;
  return `${justification.kind === 'spare' ? `${counted} above the other limit` : counted} within ${formatDuration(justification.lookBackMs)}`;
}

/** Refusals that nothing counted so far can explain. */
export function tooStrict(
  refused: RequestIntervals,
  refusals: Uint32Array,
  justifications: readonly Justification[],
): Counterevidence {
  const receivedMs = (k: number): number => refused.received[k] ?? 0;
  const k = refusals.reduce((best, next) => (receivedMs(next) < receivedMs(best) ? next : best));
  const state = justifications.map(stateOf).join(' or ');
  const others = refusals.length === 1 ? '' : `, the first of ${refusals.length} such refusals`;
  return against(
    'refusal',
    refused,
    k,
    `refused although the limit was not used up: ${decided(refused, k)}${others}; the requests before it cannot have used up ${state}`,
    {
      refusals: refusals.length,
      plain: `You refused request ${indexOf(refused, k)}${others}, although the requests before it cannot have used up ${state}`,
    },
    [...refusals.subarray(0, 10)].filter((other) => other !== k).map((each) => indexOf(refused, each)),
  );
}
