import type { Blame } from '../limiter/blame.js';
import { draft } from '../limiter/header-finding.js';
import type { HeaderFinding } from '../limiter/header-finding.js';
import type { Check } from '../run/check.js';
import { limitVerdicts } from './limit-verdicts.js';
import type { PlanVerdict } from './limit-verdicts.js';

type Verdicts = Awaited<ReturnType<typeof limitVerdicts>>;

/** `independent plan (API_KEY_INDEPENDENT, 600/60s,100/1s)`. */
export function nameOf(verdict: PlanVerdict): string {
  const { plan, keyName, limits } = verdict.trace.subject;
  const numbers = limits.map((limit) => `${limit.count}/${limit.windowSeconds}s`).join(',');
  return keyName === null ? `${plan} (${numbers})` : `${plan} plan (${keyName}, ${numbers})`;
}

/** What a fall of the count may mean where refusals are left unexplained. */
export const foreignDoubt =
  'somebody else uses the key, or the service lowers the header; repeat with a key that nobody else uses';

/** That the count fell for no reason of this run, where that changed no verdict; else null. */
export function describeLowered({ lowered }: PlanVerdict): string | null {
  return lowered === null
    ? null
    : `yes: ${lowered.sentence}; this run's own requests explain every refusal, and a server may lower the header (${draft}, section 4)`;
}

/** The verdicts of the run; blocked where not one face of the service could be tried. */
export async function triedLimits(check: Check): Promise<Verdicts> {
  const found = await limitVerdicts(check);
  const [first] = found.plans;
  if (found.verdicts.length === 0) return check.blocked(first?.unusable ?? 'nothing could be tried');
  return found;
}

/**
 * Blocks a check that found nothing to hold against the service where part of what it needed was not to be had: some face of it, the
 * key for itself, or enough traffic within or beyond the limits.
 */
export function blockWhereWeak(
  check: Check,
  found: Verdicts,
  needs: readonly (keyof PlanVerdict['weak'] | 'alone' | 'scope')[] = [],
): void {
  if (check.breaches.some((one) => !one.soft)) return;
  for (const verdict of found.verdicts) {
    if (needs.includes('alone') && verdict.foreign !== null)
      check.blocked(`${nameOf(verdict)}: ${verdict.foreign.sentence}: ${foreignDoubt}`);
    if (needs.includes('scope') && check.target.limitScope !== 'auto' && verdict.scope?.countsBy === null)
      check.blocked(`${nameOf(verdict)}: ${verdict.scope.unusable ?? verdict.scope.why}`);
    const reason =
      (needs.includes('within') ? verdict.weak.within : null) ??
      (needs.includes('beyond') ? verdict.weak.beyond : null);
    if (reason !== null) check.blocked(`${nameOf(verdict)}: ${reason}`);
  }
  const unusable = found.plans.find((plan) => plan.unusable !== null);
  if (unusable !== undefined) check.blocked(`${unusable.subject.plan}: ${unusable.unusable ?? ''}`);
}

/** What is held against a plan: by its own key's trace, and by that of the second key. */
export function blamesOf(verdict: PlanVerdict): readonly Blame[] {
  return [...verdict.blames, ...(verdict.scope?.blames ?? [])];
}

/** By what a plan's limits count, in words; with the setting that would tell. */
export function describeScope({ trace, scope }: PlanVerdict): string | null {
  if (scope === null) return trace.subject.second === undefined ? null : `not tried: ${trace.subject.second.why}`;
  return scope.countsBy === null ? `cannot tell: ${scope.why}` : `by ${scope.countsBy}: ${scope.why}`;
}

/** The page with the charts of a plan, beside the report. */
function pageOf({ trace }: PlanVerdict): string {
  return `load/${trace.subject.plan}.html`;
}

/** What a refusal may still be down to where no answer tells how much remains; nothing where answers do. */
export function doubtOf({ trace }: Pick<PlanVerdict, 'trace'>): string {
  if (trace.conducted.records.some(({ remaining }) => remaining !== undefined)) return '';
  return '; no answer carried RateLimit-Remaining, which would show whether somebody else was counted along: be sure that nobody was';
}

/** Reports one requirement's share of the readings' contradictions. */
export async function reportBlames(check: Check, ids: readonly Blame['id'][]): Promise<void> {
  const found = await triedLimits(check);
  for (const verdict of found.verdicts) {
    for (const blame of blamesOf(verdict).filter((one) => ids.includes(one.id))) {
      const doubt = blame.id === 'LIMIT-01' ? doubtOf(verdict) : '';
      check.breach({
        expected: `${nameOf(verdict)}: ${blame.expected}`,
        actual: `${blame.actual}${doubt}`,
        page: pageOf(verdict),
      });
    }
  }
  blockWhereWeak(check, found, ids.includes('LIMIT-01') ? ['alone', 'within'] : ['beyond']);
}

/** Reports one requirement's share of what the headers said; a departure from mere advice is a caution. */
export async function reportHeaders(check: Check, id: HeaderFinding['id']): Promise<Verdicts> {
  const found = await triedLimits(check);
  for (const verdict of found.verdicts) {
    for (const finding of verdict.headers.filter((one) => one.id === id)) {
      const words = {
        expected: `${nameOf(verdict)}: ${finding.expected}`,
        actual: finding.actual,
        page: pageOf(verdict),
      };
      if (finding.severity === 'breach') check.breach(words);
      else check.caution(words);
    }
  }
  return found;
}

/** What was sent beyond the plan, and why: `['repeated', 'off schedule in …; then …']`. */
export function beyondPlan({ trace }: PlanVerdict): readonly (readonly [how: string, why: string])[] {
  const again = (trace.repeats ?? []).map(({ why }) => why).join('; then ');
  const told = [['repeated', again] as const, ['extended', trace.further?.why ?? ''] as const];
  return told.filter(([, why]) => why !== '');
}

/** The first refusal in words, with its instant from the beginning of its trace. */
export function quoteRecord(verdict: PlanVerdict, index: number): string {
  const { records } = verdict.trace.conducted;
  const record = records[index];
  const beganMs = records[0]?.sentMs ?? 0;
  if (record === undefined) return 'nothing';
  return `request ${index}, sent ${((record.sentMs - beganMs) / 1000).toFixed(2)} s after the first, answered ${record.status ?? 'not at all'}`;
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
