import { countsOf, mostFindings, outcomeOf, type Report, type RequirementResult } from '../requirement/index.js';
import type { Waiver } from './read-waivers.js';

function isKept({ verdict, level }: RequirementResult): boolean {
  return verdict === 'pass' || (verdict === 'warn' && (level === 'MUST' || level === 'DECLARED'));
}

/** The waivers that together accept a result: one for the whole requirement, or one for each of its findings. */
function acceptedBy({ id, findings }: RequirementResult, waivers: readonly Waiver[]): readonly Waiver[] {
  const own = waivers.filter((waiver) => waiver.id === id);
  const whole = own.find(({ finding }) => finding === undefined);
  if (whole !== undefined) return [whole];
  const matched = findings.map((finding) =>
    own.find((one) => one.finding !== undefined && one.finding === finding.fingerprint),
  );
  // A full list may have left findings out, which no waiver names.
  const all = findings.length < mostFindings && matched.every((one) => one !== undefined);
  return all ? [...new Set(matched)].flatMap((one) => one ?? []) : [];
}

/** A result as its waivers leave it on a day (`YYYY-MM-DD`, UTC). */
export function waivedResult(result: RequirementResult, all: readonly Waiver[], today: string): RequirementResult {
  const waivers = all.filter(({ expires }) => expires >= today);
  const { verdict } = result;
  if (verdict !== 'fail' && verdict !== 'blocked') return result;
  const [first] = [...acceptedBy(result, waivers)].sort((a, b) => (a.expires < b.expires ? -1 : 1));
  if (first === undefined) return result;
  const by = [first.owner, first.link].filter((one) => one !== undefined).join(', ');
  const reason = `waived until ${first.expires}${by === '' ? '' : ` (${by})`}: ${first.reason}; ${verdict === 'fail' ? 'failed' : 'blocked'}: ${result.reason}`;
  return { ...result, verdict: 'waived', waivedVerdict: verdict, reason };
}

/**
 * The report with its waivers on a day (`YYYY-MM-DD`, UTC). An expired waiver, or one for a requirement that passes, makes it
 * nonconformant. A waiver for what this run did not judge changes nothing.
 */
export function applyWaivers(report: Report, waivers: readonly Waiver[], today: string): Report {
  const outdated = waivers.flatMap(({ id, expires, owner }) => {
    const whose = owner === undefined ? '' : ` (${owner})`;
    const result = report.requirements.find((one) => one.id === id);
    if (result !== undefined && isKept(result))
      return [`${id} passes, so remove its waiver${whose} from the waivers file`];
    return expires < today ? [`the waiver for ${id}${whose} expired on ${expires}: renew it, or remove it`] : [];
  });
  const requirements = report.requirements.map((result) => waivedResult(result, waivers, today));
  return {
    ...report,
    outcome: outdated.length > 0 ? 'nonconformant' : outcomeOf(requirements),
    counts: countsOf(requirements),
    requirements,
    ...(outdated.length > 0 ? { outdatedWaivers: [...new Set(outdated)] } : {}),
  };
}
