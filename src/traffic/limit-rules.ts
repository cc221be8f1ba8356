import { draft, type HeaderFinding, modelLabels, type TraceRecord, type Violation } from '../ratelimit/index.js';
import type { Check } from '../run/index.js';
import { limitVerdicts, type LimitVerdicts } from './drive-limits.js';
import { gatewayAnswers, type PlanVerdict, unshownLimit } from './limit-verdicts.js';
import type { Addition } from './limit-traces.js';

/** What a plan's answers show against a requirement. */
interface LimitFinding {
  readonly severity: 'fail' | 'warn';
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * What must be known for a requirement to pass, else it is blocked: that the key is used by nobody else, enough traffic within or beyond the
 * limits, traffic that shows one of the limits, and of some plan at least a refusal or an answer with the headers.
 */
type Need = 'alone' | 'within' | 'beyond' | 'burst' | 'sustained' | 'a refusal' | 'headers';

/** A requirement about limits: what breaks it in the verdict on one plan, and what it needs. */
interface LimitRule {
  readonly finds: (verdict: PlanVerdict) => readonly LimitFinding[];
  readonly needs: readonly Need[];
}

const rules = {
  'LIMIT-01': { finds: contradictions('LIMIT-01'), needs: ['alone', 'within'] },
  'LIMIT-02': {
    finds: (verdict) => [...uncountedCreates(verdict), ...contradictions('LIMIT-02')(verdict)],
    needs: ['alone', 'beyond', 'burst'],
  },
  'LIMIT-03': { finds: contradictions('LIMIT-03'), needs: ['alone', 'beyond', 'sustained'] },
  'LIMIT-04': { finds: otherRefusals, needs: ['a refusal'] },
  'LIMIT-05': { finds: headersOf('LIMIT-05'), needs: ['a refusal'] },
  'LIMIT-06': { finds: headersOf('LIMIT-06'), needs: [] },
  'LIMIT-07': { finds: headersOf('LIMIT-07'), needs: ['headers'] },
  'LIMIT-08': { finds: otherNumbers, needs: ['alone', 'within', 'beyond'] },
  'LIMIT-10': { finds: headersOf('LIMIT-10'), needs: ['a refusal'] },
} as const satisfies Readonly<Record<string, LimitRule>>;

/** Judges a requirement by what was driven of every plan; blocked, unless it is broken, where what it needs was not seen. */
export async function judgeLimits(check: Check, id: keyof typeof rules): Promise<void> {
  const { finds, needs }: LimitRule = rules[id];
  const { plans, verdicts } = await triedLimits(check);
  const findings = verdicts.flatMap((verdict) => finds(verdict).map((finding) => ({ verdict, finding })));
  for (const { verdict, finding } of findings) {
    const { severity, code, expected, actual } = finding;
    const { plan } = verdict.trace.subject;
    const told = { code, field: plan, expected: `${nameOf(verdict)}: ${expected}`, actual };
    // The page with the picture of a plan stands beside the report.
    check[severity]({ ...told, page: `load/${plan}.html` });
  }
  for (const verdict of verdicts) {
    const lack = needs.map((need) => lackOf[need](verdict, check)).find((reason) => reason !== null) ?? null;
    if (lack !== null) check.blocked(`${nameOf(verdict)}: ${lack}`);
  }
  const unusable = plans.find((plan) => plan.unusable !== null);
  if (unusable !== undefined) check.blocked(`${unusable.subject.plan}: ${unusable.unusable ?? ''}`);
  const refuses = verdicts.some(({ refusals }) => refusals.length > 0);
  const isFound = id !== 'LIMIT-04' && findings.length > 0;
  if (needs.includes('a refusal') && !refuses && !isFound) check.blocked('nothing was refused (see LIMIT-02)');
  const tells = ({ limit, reset }: TraceRecord): boolean => limit !== undefined && reset !== undefined;
  if (needs.includes('headers') && !verdicts.some(({ trace }) => trace.conducted.records.some(tells)))
    check.blocked('no answer carried the headers (see LIMIT-06)');
}

/** The verdicts of the run; blocked where no limit could be tried. */
export async function triedLimits(check: Check): Promise<LimitVerdicts> {
  const found = await limitVerdicts(check);
  const [first] = found.plans;
  if (found.verdicts.length === 0) return check.blocked(first?.unusable ?? 'no limit could be tried');
  return found;
}

/** Why a plan's answers do not meet a need, in words, or null. */
const lackOf: Readonly<Record<Need, (verdict: PlanVerdict, check: Check) => string | null>> = {
  alone: ({ foreign }) => (foreign === null ? null : `${foreign}: ${foreignDoubt}`),
  within: ({ weak }) => weak.within,
  beyond: ({ weak }) => weak.beyond,
  burst: (verdict, check) => unshownAlone(verdict, check, 'burst'),
  sustained: (verdict, check) => unshownAlone(verdict, check, 'sustained'),
  'a refusal': () => null,
  headers: () => null,
};

/** Why the traffic of one scenario does not show a limit, in words. The whole load reaches both. */
function unshownAlone(verdict: PlanVerdict, check: Check, role: 'burst' | 'sustained'): string | null {
  const words = check.run.scenario === null ? null : unshownLimit(verdict, role);
  return words === null ? null : `${words}; "load" without --scenario sends enough`;
}

/** `independent plan (API_KEY_INDEPENDENT, 600/60s,100/1s)`. */
export function nameOf(verdict: PlanVerdict): string {
  const { plan, keyName, limits } = verdict.trace.subject;
  const numbers = limits.map((limit) => `${limit.count}/${limit.windowSeconds}s`).join(',');
  return keyName === null ? `${plan} (${numbers})` : `${plan} plan (${keyName}, ${numbers})`;
}

/** The possible causes of a fall of RateLimit-Remaining, if refusals are unexplained. */
export const foreignDoubt =
  'another client uses the key, servers count for themselves, or the service lowers the header on its own; repeat with a key that no other client uses';

/** The doubt about a refusal where no answer says how much remains; empty where answers do. */
export function doubtOf({ trace }: Pick<PlanVerdict, 'trace'>): string {
  if (trace.conducted.records.some(({ remaining }) => remaining !== undefined)) return '';
  return '; no answer carried RateLimit-Remaining, which would show requests of another client; make sure that no other client uses this key';
}

/** One requirement's share of the models' contradictions. */
function contradictions(id: Violation['id']): LimitRule['finds'] {
  return (verdict) =>
    verdict.violations
      .filter((one) => one.id === id)
      .map(({ code, expected, actual }) => {
        const doubt = id === 'LIMIT-01' ? doubtOf(verdict) : '';
        return { severity: 'fail', code, expected, actual: `${actual}${doubt}` };
      });
}

/** One requirement's share of what the headers said; a departure from a recommendation warns. */
function headersOf(id: HeaderFinding['id']): LimitRule['finds'] {
  return ({ headers }) => headers.filter((one) => one.id === id);
}

function uncountedCreates({ uncounted }: PlanVerdict): LimitFinding[] {
  if (uncounted === null) return [];
  return [{ severity: 'fail', code: 'uncounted', expected: 'one limit for all requests of a key', actual: uncounted }];
}

/** Refusals with another status, server errors, and answers that lack the required failure envelope. */
function otherRefusals(verdict: PlanVerdict): LimitFinding[] {
  const { trace, refusals } = verdict;
  const { records } = trace.conducted;
  const reads = records.filter((record) => record.asked === undefined);
  // The demo and the sandbox owe no envelope; with a key every failure has one, whatever its status. A gateway's own answers are not the service's.
  const away = refusals.some((status) => status >= 500) ? [] : gatewayAnswers(records);
  const owesEnvelope = (record: TraceRecord): boolean => trace.subject.keyName !== null && !away.includes(record);
  const found = (
    severity: LimitFinding['severity'],
    code: string,
    expected: string,
    shown: readonly TraceRecord[],
    lack = '',
  ): LimitFinding[] => {
    const [first] = shown;
    if (first === undefined) return [];
    const actual = `${quoteRecord(verdict, first)}${lack}; so were ${shown.length - 1} more`;
    return [{ severity, code, expected, actual }];
  };
  const refusedWith = (status: number): TraceRecord[] =>
    records.filter((record) => record.outcome === 'refused' && record.status === status);
  const failed = reads.filter(({ outcome, status }) => outcome === 'other' && (status ?? 0) >= 500);
  const bare = reads.filter((record) => record.hasEnvelope === false && owesEnvelope(record));
  return [
    ...refusals
      .filter((status) => status !== 429)
      .flatMap((status) => found('fail', 'refused-otherwise', '429 for what exceeds the limit', refusedWith(status))),
    ...found('warn', 'server-error', '429 rather than a server error under load', failed),
    ...found('fail', 'no-envelope', '{ok: false, error} in every answer that is not a success', bare, ' without it'),
  ];
}

/** Numbers that are applied or advertised, and are not the plan's. */
function otherNumbers({ violations, headers }: PlanVerdict): LimitFinding[] {
  const applied = violations.slice(0, 1).map(({ actual }) => ({ code: 'not-as-applied', actual }));
  const advertised = headers
    .filter(({ code }) => code === 'other-limit')
    .map(({ actual }) => ({ code: 'not-as-advertised', actual }));
  return [...applied, ...advertised].map((one) => ({ severity: 'fail', expected: 'the numbers of this plan', ...one }));
}

/** One answer in words, with its instant from the beginning of its trace. */
function quoteRecord({ trace }: PlanVerdict, { index, sentMs, status }: TraceRecord): string {
  const beganMs = trace.conducted.records.at(0)?.sentMs ?? 0;
  return `request ${index}, sent ${((sentMs - beganMs) / 1000).toFixed(2)} s after the first, answered ${status ?? 'not at all'}`;
}

/** That the count fell for no reason of this run, where that changed no verdict; else null. */
export function describeLowered({ lowered }: PlanVerdict): string | null {
  return lowered === null
    ? null
    : `yes: ${lowered}; the requests of this run explain every refusal, and a server may lower the header (${draft}, section 4)`;
}

/** The traffic beyond the plan, and the reason: `['repeated', 'the burst scenario did not run as planned: …; then …']`. */
export function beyondPlan({ trace }: PlanVerdict): readonly (readonly [how: string, why: string])[] {
  const why = (one: Addition['how']): string =>
    (trace.additions ?? []).flatMap((addition) => (addition.how === one ? [addition.why] : [])).join('; then ');
  return (['repeated', 'extended'] as const).map((how) => [how, why(how)] as const).filter(([, text]) => text !== '');
}

/** Observes how each plan's limit counts, as far as answers show it, and with which traffic. */
export async function observeLimits(check: Check): Promise<void> {
  const { verdicts, leftOut } = await triedLimits(check);
  for (const verdict of verdicts) {
    const name = nameOf(verdict);
    const admitted = verdict.models.filter((limiter) => limiter.admitted);
    const names = [...new Set(admitted.map((limiter) => modelLabels[limiter.name]))].join(', ');
    check.observe(`Which ways to count are consistent with the ${name}?`, names === '' ? 'none' : names);
    for (const [how, why] of beyondPlan(verdict)) check.observe(`Why was the ${name} ${how}?`, why);
    const { operations = [] } = verdict.trace;
    if (operations.length > 0) check.observe(`Which operations were the ${name} tried with?`, operations.join(', '));
    const lowered = describeLowered(verdict);
    if (lowered !== null) check.observe(`Is RateLimit-Remaining of the ${name} lowered?`, lowered);
    if (admitted.length > 0 && verdict.refusals.length > 0) {
      const counted = admitted.every((limiter) => limiter.needsRefusalsCounted);
      check.observe(`Do refused requests count against the ${name}?`, counted ? 'yes' : 'nothing seen needs it');
    }
  }
  for (const { plan, why } of leftOut)
    check.observe(`Which ways to count are consistent with the ${plan} limit?`, `not tried: ${why}`);
}
