import { countsOf, outcomeOf } from '../report/outcome.js';
import type { Report } from '../requirement/types.js';
import type { Waiver } from './read-waivers.js';

/** What waivers make of a report; they never touch the report, and none counts for a certification. */
export interface Waived {
  /** As for a report, with live waivers taken off; nonconformant where a waiver is expired or stale. */
  readonly outcome: Report['outcome'];
  /** The gate's exit status with the waivers. */
  readonly exitStatus: 0 | 1 | 2 | 3 | 4;
  /** Waivers in force for something that is failed or blocked. */
  readonly live: readonly Waiver[];
  /** Waivers whose last day is over. */
  readonly expired: readonly Waiver[];
  /** Waivers for something that holds now. */
  readonly stale: readonly Waiver[];
  /** One sentence for each waiver that the run met. */
  readonly sentences: readonly string[];
}

/** Judges a report with waivers on a day (`YYYY-MM-DD`, UTC). A waiver for what this run did not judge is left alone. */
export function applyWaivers(report: Pick<Report, 'requirements'>, waivers: readonly Waiver[], today: string): Waived {
  const live: Waiver[] = [];
  const expired: Waiver[] = [];
  const stale: Waiver[] = [];
  const sentences: string[] = [];
  for (const waiver of waivers) {
    const { id, expires, owner, reason, link } = waiver;
    const result = report.requirements.find((one) => one.id === id);
    if (expires < today) {
      expired.push(waiver);
      sentences.push(`${id}: the waiver expired on ${expires}; ${owner} has to mend it or renew it (${link}).`);
    } else if (
      result?.verdict === 'pass' ||
      (result?.verdict === 'warn' && (result.level === 'MUST' || result.level === 'DECLARED'))
    ) {
      stale.push(waiver);
      sentences.push(`${id}: the waiver is stale, as the requirement holds now; ${owner} has to remove it.`);
    } else if (result?.verdict === 'fail' || result?.verdict === 'blocked') {
      live.push(waiver);
      sentences.push(
        `${id}: ${result.verdict === 'fail' ? 'failed' : 'blocked'}, waived until ${expires} by ${owner}: ${reason} (${link}).`,
      );
    }
  }
  const rest = report.requirements.filter((result) => !live.some((waiver) => waiver.id === result.id));
  const plain = rest.length === 0 && report.requirements.length > 0 ? 'conformant' : outcomeOf(rest);
  const counts = countsOf(rest);
  const broken = expired.length + stale.length > 0;
  const outcome = broken ? 'nonconformant' : plain;
  const status = (): Waived['exitStatus'] => {
    if (report.requirements.length === 0) return 2;
    if (broken || counts.fail > 0) return 1;
    if (counts.error > 0) return 4;
    return outcome === 'conformant' ? 0 : 3;
  };
  return { outcome, exitStatus: status(), live, expired, stale, sentences };
}
