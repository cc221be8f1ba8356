import type { Verdict } from '../../src/requirement/index.js';
import type { Case, Judged } from './judge-service.js';

/** What came of one case: plain data, so that it can cross processes. */
export interface CaseOutcome extends Required<Omit<Case, 'waits' | 'options' | 'start'>> {
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly levels: Readonly<Record<string, string>>;
  /** The codes of the findings, by requirement. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  readonly isReached: boolean;
  readonly requests: number;
  readonly seconds: number;
}

/** Sums up one judged case. */
export function outcomeOfCase(one: Omit<Case, 'options' | 'start'>, judged: Judged): CaseOutcome {
  const { kind, name, requirement, warns = false, alternatives = [], missed = null } = one;
  const by = <T>(pick: (result: Judged['results'][number]) => T): Record<string, T> =>
    Object.fromEntries(judged.results.map((result) => [result.id, pick(result)]));
  const telling = judged.results.filter((result) => !['pass', 'not-applicable'].includes(result.verdict));
  return {
    kind,
    name,
    requirement,
    warns,
    alternatives,
    missed,
    verdicts: by((result) => result.verdict),
    reasons: Object.fromEntries(telling.map((result) => [result.id, result.reason])),
    levels: by((result) => result.level),
    codes: Object.fromEntries(
      judged.results.map(({ id, findings }) => [id, [...new Set(findings.map(({ code = '' }) => code))]]),
    ),
    isReached: judged.isReached,
    requests: judged.requests,
    seconds: judged.seconds,
  };
}

/**
 * Whether noise may have hidden what a limit had to show in real time: what is blocked, or a small excess that passed; or whether a conforming
 * service was blocked only, as one may be that sells its last vehicle to another check. An unexpected failure is never noise.
 */
export function isHidden(outcome: CaseOutcome): boolean {
  const { kind, name, verdicts, requirement } = outcome;
  if (
    kind === 'variant' &&
    name !== 'defaults' &&
    !Object.values(verdicts).some((is) => is === 'fail' || is === 'error')
  )
    return problemsOf(outcome).length > 0;
  if (!Object.keys(verdicts).every((id) => id.startsWith('LIMIT-'))) return false;
  const hidden = requirement === null ? Object.values(verdicts) : [verdicts[requirement]];
  return problemsOf(outcome).length > 0 && !hidden.includes('fail');
}

/** What is wrong with an outcome, as sentences; none where it is as it should be. */
export function problemsOf(outcome: CaseOutcome): string[] {
  const at = (id: string): Verdict | undefined => outcome.verdicts[id];
  const ids = Object.keys(outcome.verdicts);
  const why = (id: string): string =>
    `${id} is ${at(id) ?? 'absent'}${outcome.reasons[id] ? ` (${outcome.reasons[id].slice(0, 300)})` : ''}`;
  const crashed = ids.filter((id) => at(id) === 'error').map(why);
  if (outcome.kind === 'constant') {
    return [
      ...crashed,
      ...ids.filter((id) => at(id) === 'pass' && outcome.levels[id] === 'MUST').map((id) => `${id} passes by accident`),
    ];
  }
  if (outcome.kind === 'busy') {
    return [...crashed, ...ids.filter((id) => at(id) === 'fail' || at(id) === 'warn').map(why)];
  }
  if (outcome.kind === 'variant') {
    // An option may depart from a recommendation; the usual service departs from none.
    const bad: readonly (Verdict | undefined)[] = [
      'fail',
      'blocked',
      ...(outcome.name === 'defaults' ? (['warn'] as const) : []),
    ];
    return [...crashed, ...ids.filter((id) => bad.includes(at(id))).map(why)];
  }
  const { requirement, missed, alternatives } = outcome;
  if (requirement === null) return ['a fault without a requirement'];
  const isReportedBy = (id: string): boolean => {
    const soft = outcome.warns || outcome.levels[id] === 'SHOULD' || outcome.levels[id] === 'OBSERVE';
    return at(id) === 'fail' || (soft && at(id) === 'warn');
  };
  const reportedBy = [requirement, ...alternatives].filter(isReportedBy);
  const problems = [...crashed];
  if (missed === null && !outcome.isReached) problems.push('void: no request reached what it changes');
  if (missed === null && reportedBy.length === 0) problems.push(`not caught: ${why(requirement)}`);
  if (missed !== null && reportedBy.length > 0)
    problems.push(`listed as missed, but ${reportedBy.join(' and ')} reported it`);
  return problems;
}
