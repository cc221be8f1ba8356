import type { Verdict } from '../requirement/types.js';
import type { Case } from './cases.js';
import type { Judged } from './judge-service.js';

/** What came of one case: plain data, so that it can cross processes. */
export interface Outcome {
  readonly kind: Case['kind'];
  readonly name: string;
  readonly requirement: string | null;
  readonly collateral: Case['collateral'];
  readonly warns: boolean;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly levels: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly seconds: number;
  /** Judged a second time, as noise kept the first from being judged. */
  readonly twice: boolean;
}

/** Sums up one judged case. */
export function outcomeOfCase(one: Case, judged: Judged, twice = false): Outcome {
  const { kind, name, requirement, collateral } = one;
  const by = <T>(pick: (result: Judged['results'][number]) => T): Record<string, T> =>
    Object.fromEntries(judged.results.map((result) => [result.id, pick(result)]));
  const telling = judged.results.filter((result) => !['pass', 'not-applicable'].includes(result.verdict));
  return {
    kind,
    name,
    requirement,
    collateral,
    warns: one.warns === true,
    verdicts: by((result) => result.verdict),
    reasons: Object.fromEntries(telling.map((result) => [result.id, result.reason])),
    levels: by((result) => result.level),
    requests: judged.requests,
    seconds: judged.seconds,
    twice,
  };
}

/** What a constant server may pass all the same, because nothing it could answer would break it. */
const harmless: Readonly<Record<string, readonly string[]>> = {};

/** What is wrong with an outcome, as sentences; none where it is as it should be. */
export function problemsOf(outcome: Outcome): string[] {
  const at = (id: string): Verdict | undefined => outcome.verdicts[id];
  const ids = Object.keys(outcome.verdicts);
  const why = (id: string): string =>
    `${id} is ${at(id) ?? 'absent'}${outcome.reasons[id] ? ` (${outcome.reasons[id].slice(0, 300)})` : ''}`;
  const crashed = ids.filter((id) => at(id) === 'error').map(why);
  if (outcome.kind === 'constant') {
    return [
      ...crashed,
      ...ids
        .filter(
          (id) => at(id) === 'pass' && outcome.levels[id] === 'MUST' && harmless[outcome.name]?.includes(id) !== true,
        )
        .map((id) => `${id} passes by accident`),
    ];
  }
  if (outcome.kind === 'variant') {
    return [...crashed, ...ids.filter((id) => at(id) === 'fail' || at(id) === 'blocked').map(why)];
  }
  const { requirement } = outcome;
  if (requirement === null) return ['a fault without a requirement'];
  const soft = outcome.warns || outcome.levels[requirement] === 'SHOULD' || outcome.levels[requirement] === 'OBSERVE';
  const problems = [...crashed];
  if (at(requirement) !== 'fail' && !(soft && at(requirement) === 'warn'))
    problems.push(`not caught: ${why(requirement)}`);
  const excused = new Set([requirement, ...outcome.collateral.map((one) => one.id)]);
  problems.push(...ids.filter((id) => at(id) === 'fail' && !excused.has(id)).map((id) => `unlisted: ${why(id)}`));
  return problems;
}
