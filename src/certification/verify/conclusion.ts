import { exitStatus } from '../../requirement/index.js';
import type { ReportDifference } from '../compare/differences.js';
import type { Verification } from './verify-bundle.js';

/** What a verification comes to; terminal, registry and JSON show it. */
export interface Conclusion {
  /** The exit status: 1 where anything was changed or is not borne out (or, for another suite, fails today), 3 where nothing is certified, else 0. */
  readonly status: 0 | 1 | 3;
  /** Whether the run was no certification, and whether the last day is over, in UTC. */
  readonly isRehearsal: boolean;
  readonly hasExpired: boolean;
  /** Verdicts that the evidence gives otherwise, and those for which this suite asks what the run did not. */
  readonly differing: readonly ReportDifference[];
  readonly unasked: readonly ReportDifference[];
}

export function concludeVerification(found: Verification, now = new Date()): Conclusion {
  const { manifest, today, problems, notGradedAgain } = found;
  const verdicts = found.differences.filter(({ kind }) => kind === 'verdict');
  const isOther = today?.sameSuite === false;
  const unasked = isOther ? verdicts.filter(({ id }) => today.notAsked.has(id)) : [];
  const isRehearsal = manifest?.standing === 'rehearsal';
  const hasExpired = manifest?.validUntil !== undefined && now.toISOString().slice(0, 10) > manifest.validUntil;
  const isBroken =
    problems.length > 0 ||
    manifest === null ||
    today === null ||
    (isOther ? verdicts.some((one) => one.found.startsWith('fail')) : verdicts.length > 0);
  const isOpen = isOther && exitStatus({ requirements: today.results }) !== 0;
  return {
    status: isBroken ? 1 : isRehearsal || notGradedAgain.length > 0 || isOpen || hasExpired ? 3 : 0,
    isRehearsal,
    hasExpired,
    differing: verdicts.filter((one) => !unasked.includes(one)),
    unasked,
  };
}
