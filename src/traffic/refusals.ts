import { gatewayStatuses } from '../http/index.js';
import { type TraceRecord, wholeNumber } from '../ratelimit/index.js';
import type { PlanTrace } from './limit-traces.js';

/** This many answers with one status are not accidental. */
const enough = 3;

/** Statuses that may speak of what was asked for, or of how it came. */
const ofTheRequest = new Set([400, 408, 422]);

/** Whether an answer says of itself that a limit decided it. */
function isLimited({ status, limit, remaining }: TraceRecord): boolean {
  if (limit === undefined && remaining === undefined) return false;
  return !ofTheRequest.has(status ?? 0) || wholeNumber(remaining ?? '') === 0;
}

/**
 * The statuses that this service refuses with, the main one first: 429 where it occurs, and every redirection or error that alternates with
 * acceptances of the same request. Beside 429, a server error may come from the load and a 400 from the request: those count only where
 * they carry rate-limit headers.
 */
export function refusalStatuses(records: readonly TraceRecord[]): readonly number[] {
  const lastAccepted = records.findLastIndex(({ outcome }) => outcome === 'accepted');
  const limited = records.some(({ status }) => status === 429);
  const seen = new Map<number, number>();
  for (const [at, record] of records.entries()) {
    const status = record.status ?? 0;
    // A request for a record that does not exist fails for that reason.
    if (status < 300 || status === 429 || record.asked !== undefined) continue;
    const unsigned = at < lastAccepted && !(limited && (status >= 500 || ofTheRequest.has(status)));
    if (unsigned || isLimited(record)) seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  const found = [...seen].filter(([, count]) => count >= enough).sort((a, b) => b[1] - a[1]);
  const others = found.map(([status]) => status);
  if (limited) return [429, ...others];
  const [most] = others;
  return most === undefined ? [] : [most, ...others.slice(1).filter((status) => status < 500 || most >= 500)];
}

/** Answers of a gateway while the service was away: those in one interval in which the service itself gave none. */
export function gatewayAnswers(given: readonly TraceRecord[]): readonly TraceRecord[] {
  const isGateway = ({ status, hasEnvelope }: TraceRecord): boolean =>
    hasEnvelope === false && gatewayStatuses.includes(status ?? 0);
  const records = [...given];
  const stretch = records.slice(records.findIndex(isGateway), records.findLastIndex(isGateway) + 1);
  return stretch.every((record) => isGateway(record) || record.status === null) ? stretch.filter(isGateway) : [];
}

/** An answer of one of those statuses is a refusal. */
export function seenAs(statuses: readonly number[]): (record: TraceRecord) => TraceRecord {
  return (record) =>
    record.asked !== 'missing' &&
    record.status !== null &&
    record.outcome !== 'refused' &&
    statuses.includes(record.status)
      ? { ...record, outcome: 'refused' }
      : record;
}

/** The same trace with every answer of those statuses counted as a refusal. */
export function withRefusals(trace: PlanTrace, statuses: readonly number[]): PlanTrace {
  if (statuses.every((status) => status === 429)) return trace;
  const records = trace.conducted.records.map(seenAs(statuses));
  return { ...trace, conducted: { ...trace.conducted, records } };
}
