import { draft, type HeaderFinding, type TraceRecord, type Violation } from '../ratelimit/index.js';
import type { Check } from '../run/index.js';
import { limitVerdicts, type LimitVerdicts } from './drive-limits.js';
import { unshownLimit, type PlanVerdict } from './limit-verdicts.js';
import type { Addition } from './limit-traces.js';
import { gatewayAnswers } from './refusals.js';

/** `independent plan (API_KEY_INDEPENDENT, 600/60s,100/1s)`. */
export function nameOf(verdict: PlanVerdict): string {
  const { plan, keyName, limits } = verdict.trace.subject;
  const numbers = limits.map((limit) => `${limit.count}/${limit.windowSeconds}s`).join(',');
  return keyName === null ? `${plan} (${numbers})` : `${plan} plan (${keyName}, ${numbers})`;
}

/** The possible causes of a fall of RateLimit-Remaining, if refusals are unexplained. */
export const foreignDoubt =
  'another client uses the key, servers count for themselves, or the service lowers the header on its own; repeat with a key that no other client uses';

/** That the count fell for no reason of this run, where that changed no verdict; else null. */
export function describeLowered({ lowered }: PlanVerdict): string | null {
  return lowered === null
    ? null
    : `yes: ${lowered.sentence}; the requests of this run explain every refusal, and a server may lower the header (${draft}, section 4)`;
}

/** The verdicts of the run; blocked where no limit could be tried. */
export async function triedLimits(check: Check): Promise<LimitVerdicts> {
  const found = await limitVerdicts(check);
  const [first] = found.plans;
  if (found.verdicts.length === 0) return check.blocked(first?.unusable ?? 'no limit could be tried');
  return found;
}

/**
 * Blocks a check, unless it found a breach, where part of what it needed was missing: a limit that could be tried, the
 * key for itself, enough traffic within or beyond the limits, or an answer that shows one of the limits.
 */
export function blockWhereWeak(
  check: Check,
  found: LimitVerdicts,
  needs: readonly (keyof PlanVerdict['weak'] | 'alone' | 'burst' | 'sustained')[] = [],
): void {
  for (const verdict of found.verdicts) {
    if (needs.includes('alone') && verdict.foreign !== null)
      check.blocked(`${nameOf(verdict)}: ${verdict.foreign.sentence}: ${foreignDoubt}`);
    const reason =
      (needs.includes('within') ? verdict.weak.within : null) ??
      (needs.includes('beyond') ? verdict.weak.beyond : null) ??
      (check.run.scenario === null ? null : unshownIn(verdict, needs));
    if (reason !== null) check.blocked(`${nameOf(verdict)}: ${reason}`);
  }
  const unusable = found.plans.find((plan) => plan.unusable !== null);
  if (unusable !== undefined) check.blocked(`${unusable.subject.plan}: ${unusable.unusable ?? ''}`);
}

/** The limit that the traffic of one scenario does not show, in words. The whole load reaches both. */
function unshownIn(verdict: PlanVerdict, needs: readonly string[]): string | null {
  const role = (['burst', 'sustained'] as const).find((one) => needs.includes(one));
  const words = role === undefined ? null : unshownLimit(verdict, role);
  return words === null ? null : `${words}; "load" without --scenario sends enough`;
}

/** The page with the charts of a plan, beside the report. */
function pageOf({ trace }: PlanVerdict): string {
  return `load/${trace.subject.plan}.html`;
}

/** The doubt about a refusal where no answer says how much remains; empty where answers do. */
export function doubtOf({ trace }: Pick<PlanVerdict, 'trace'>): string {
  if (trace.conducted.records.some(({ remaining }) => remaining !== undefined)) return '';
  return '; no answer carried RateLimit-Remaining, which would show requests of another client; make sure that no other client uses this key';
}

/** Reports one requirement's share of the models' contradictions; a pass needs this evidence. */
export async function reportViolations(
  check: Check,
  id: Violation['id'],
  needed: Parameters<typeof blockWhereWeak>[2],
): Promise<void> {
  const found = await triedLimits(check);
  for (const verdict of found.verdicts) {
    for (const violation of verdict.violations.filter((one) => one.id === id)) {
      const doubt = id === 'LIMIT-01' ? doubtOf(verdict) : '';
      check.fail({
        code: violation.code,
        field: verdict.trace.subject.plan,
        expected: `${nameOf(verdict)}: ${violation.expected}`,
        actual: `${violation.actual}${doubt}`,
        page: pageOf(verdict),
      });
    }
  }
  blockWhereWeak(check, found, needed);
}

/** Reports one requirement's share of what the headers said; a departure from a recommendation warns. */
export async function reportHeaders(check: Check, id: HeaderFinding['id']): Promise<LimitVerdicts> {
  const found = await triedLimits(check);
  for (const verdict of found.verdicts) {
    for (const finding of verdict.headers.filter((one) => one.id === id))
      check[finding.severity === 'fail' ? 'fail' : 'warn']({
        code: finding.code,
        field: verdict.trace.subject.plan,
        expected: `${nameOf(verdict)}: ${finding.expected}`,
        actual: finding.actual,
        page: pageOf(verdict),
      });
  }
  return found;
}

/** Whether nothing was refused, and the headers gave no finding to a requirement about refusals. */
export function sawNothing({ verdicts }: LimitVerdicts, id: HeaderFinding['id']): boolean {
  return verdicts.every(({ refusals, headers }) => refusals.length === 0 && !headers.some((one) => one.id === id));
}

/** The traffic beyond the plan, and the reason: `['repeated', 'the burst scenario did not run as planned: …; then …']`. */
export function beyondPlan({ trace }: PlanVerdict): readonly (readonly [how: string, why: string])[] {
  const why = (one: Addition['how']): string =>
    (trace.additions ?? []).flatMap((addition) => (addition.how === one ? [addition.why] : [])).join('; then ');
  return (['repeated', 'extended'] as const).map((how) => [how, why(how)] as const).filter(([, text]) => text !== '');
}

/** The first refusal in words, with its instant from the beginning of its trace. */
export function quoteRecord(verdict: PlanVerdict, index: number): string {
  const { records } = verdict.trace.conducted;
  const record = index < 0 ? undefined : records.at(index);
  const beganMs = records.at(0)?.sentMs ?? 0;
  if (record === undefined) return 'nothing';
  return `request ${index}, sent ${((record.sentMs - beganMs) / 1000).toFixed(2)} s after the first, answered ${record.status ?? 'not at all'}`;
}

/** The answers that are not acceptances: refusals, server errors, and answers that lack the required failure envelope. */
export function answersUnderLoad({
  trace,
  refusals,
}: PlanVerdict): Record<'refused' | 'failed' | 'bare', TraceRecord[]> {
  const { records } = trace.conducted;
  const reads = records.filter((record) => record.asked === undefined);
  // The demo and the sandbox owe no envelope; with a key every failure has one, whatever its status. A gateway's own answers are not the service's.
  const away = refusals.some((status) => status >= 500) ? [] : gatewayAnswers(records);
  const owesEnvelope = (record: TraceRecord): boolean => trace.subject.keyName !== null && !away.includes(record);
  return {
    refused: records.filter((record) => record.outcome === 'refused'),
    failed: reads.filter((record) => record.outcome === 'other' && (record.status ?? 0) >= 500),
    bare: reads.filter((record) => record.hasEnvelope === false && owesEnvelope(record)),
  };
}

/** The first of some records in words, and how many others there are; `lack` is what it lacks. */
export function quoteRecords(verdict: PlanVerdict, records: readonly TraceRecord[], lack = ''): string {
  return `${quoteRecord(verdict, records[0]?.index ?? -1)}${lack}; so were ${records.length - 1} more`;
}

/** The first answer whose RateLimit-Limit names a number that the subject's plan does not have, or null. */
export function foreignNumber(verdict: PlanVerdict): string | null {
  const counts = verdict.trace.subject.limits.map((limit) => limit.count);
  const own = new Set([...counts, counts.reduce((sum, count) => sum + count, 0)]);
  const record = verdict.trace.conducted.records.find((one) => {
    const number = /^\s*(\d{1,12})\s*(?:[,;]|$)/.exec(one.limit ?? '')?.[1];
    return number !== undefined && !own.has(Number(number));
  });
  return record === undefined
    ? null
    : `${quoteRecord(verdict, record.index)} with RateLimit-Limit: ${record.limit ?? ''}`;
}
