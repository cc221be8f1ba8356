import { remedyText } from '../settings/index.js';
import type { Observation, Report, RequirementResult } from '../requirement/index.js';
import { brief } from '../visible.js';

export const isJudged = ({ verdict, waivedVerdict }: RequirementResult): boolean =>
  ['pass', 'fail', 'warn'].includes(waivedVerdict ?? verdict);

/** `61 of 84 judged`. */
export function judgedText(results: readonly RequirementResult[]): string {
  return `${results.filter(isJudged).length} of ${results.length} judged`;
}

/** Results that belong together, and what they share. */
export interface ResultGroup {
  readonly text: string;
  readonly results: readonly RequirementResult[];
}

function groupBy(
  results: readonly RequirementResult[],
  textOf: (result: RequirementResult) => string | null,
): ResultGroup[] {
  const groups = new Map<string, RequirementResult[]>();
  for (const result of results) {
    const text = textOf(result);
    if (text !== null) groups.set(text, [...(groups.get(text) ?? []), result]);
  }
  return [...groups].map(([text, members]) => ({ text, results: members }));
}

/** What decided each finding: its last exchange, and of an operation a refusal with its body, or that the answer was no JSON. */
const decidedBy = ({ findings }: RequirementResult): (string | undefined)[][] =>
  findings.map(({ exchanges, place: { operation = '', status, refusal, noJson } = {} }) => [
    exchanges.at(-1),
    refusal === undefined ? undefined : `${operation} ${status ?? ''} ${refusal}`,
    noJson === true ? `${operation} no JSON` : undefined,
  ]);

/**
 * For the id of a failed or warned result, the result that most likely has the same cause: its findings show every exchange that decided
 * the findings of the other, or of the same operation a refusal of the same words, or an answer that is no JSON.
 */
export function sharedCauses(results: readonly RequirementResult[]): ReadonlyMap<string, RequirementResult> {
  const heads: RequirementResult[] = [];
  const found = new Map<string, RequirementResult>();
  const rank = ({ verdict }: RequirementResult): number => (verdict === 'fail' ? 0 : 1);
  const open = results.filter(({ verdict, findings }) => ['fail', 'warn'].includes(verdict) && findings.length > 0);
  for (const result of [...open].sort((a, b) => rank(a) - rank(b) || b.findings.length - a.findings.length)) {
    const head = heads.find((one) => {
      const shown = new Set(decidedBy(one).flat());
      return decidedBy(result).every((signs) => signs.some((sign) => sign !== undefined && shown.has(sign)));
    });
    if (head === undefined) heads.push(result);
    else found.set(result.id, head);
  }
  return found;
}

/** Says of a result that another one most likely has the same cause. */
export function sameCauseText(head: RequirementResult): string {
  return `probably the same cause as ${head.id}, which failed in the same answers or others like them`;
}

/**
 * Why several requirements may have failed, where the service forbids API_KEY what full access grants: a key of one scope looks like that.
 * The answers do not show which of the two it is, so the failures stay. Null where nothing is forbidden.
 */
export function scopeDoubt(results: readonly RequirementResult[]): string | null {
  const refused = results.flatMap(({ verdict, findings }) =>
    findings.flatMap(({ place: { operation, as, status } = {} }) =>
      verdict === 'fail' && as === 'API_KEY' && (status === 401 || status === 403) ? (operation ?? []) : [],
    ),
  );
  return refused.length === 0
    ? null
    : `API_KEY may lack scopes: the service refuses it ${[...new Set(refused)].slice(0, 3).join(', ')}. It must be a full-access key (admin:*); if it is one, the service is at fault.`;
}

/** The blocked requirements, by reason. */
export function blockedByReason(results: readonly RequirementResult[]): ResultGroup[] {
  return groupBy(results, ({ verdict, reason }) => (verdict === 'blocked' ? reason : null));
}

/** The same results, those blocked for a reason that several of `all` share with their number in its place. */
export function withoutSharedReasons(
  results: readonly RequirementResult[],
  all: readonly RequirementResult[],
): RequirementResult[] {
  const counts = new Map(blockedByReason(all).map((group) => [group.text, group.results.length]));
  return results.map((result) => {
    const count = result.verdict === 'blocked' ? (counts.get(result.reason) ?? 1) : 1;
    return count === 1 ? result : { ...result, reason: `blocked for a reason that ${count} requirements share` };
  });
}

/** The remedy of an unjudged result, in words; or null. */
function remedyOf(result: RequirementResult): string | null {
  return isJudged(result) || result.remedy === undefined ? null : remedyText(result.remedy);
}

/** The remedies that let a run judge more, each with its requirements; the most first. */
export function unjudgedByRemedy(results: readonly RequirementResult[]): ResultGroup[] {
  return groupBy(results, remedyOf).sort((a, b) => b.results.length - a.results.length);
}

/** The requirements that are not applicable for a reason without a remedy, by reason. */
export function notApplicableByReason(results: readonly RequirementResult[]): ResultGroup[] {
  return groupBy(results, (result) =>
    result.verdict === 'not-applicable' && remedyOf(result) === null ? result.reason : null,
  );
}

/** `7 more: set SIGNING_SECRET`, for each remedy. */
export function remedyTexts(results: readonly RequirementResult[]): string[] {
  return unjudgedByRemedy(results).map((group) => `${group.results.length} more: ${group.text}`);
}

/** Requirements that were judged in part, each with the setting without which it observed that it could not judge the rest. */
export function partlyJudged(
  observations: readonly Pick<Observation, 'id' | 'remedy'>[],
): { readonly id: string; readonly remedy: string }[] {
  return observations.flatMap(({ id, remedy }) => (remedy === undefined ? [] : { id, remedy: remedyText(remedy) }));
}

/** `1 in part: set API_BASE_URL (VER-01)`, for each of them. */
export function partlyTexts(observations: readonly Pick<Observation, 'id' | 'remedy'>[]): string[] {
  return partlyJudged(observations).map(({ id, remedy }) => `1 in part: ${remedy} (${id})`);
}

/** `61 blocked: the reason`, for each reason that asks for no setting. */
export function blockedTexts(results: readonly RequirementResult[]): string[] {
  return blockedByReason(results.filter((result) => remedyOf(result) === null)).map(
    (group) => `${group.results.length} blocked: ${brief(group.text, 300)}`,
  );
}

/** `UNIT-01, UNIT-02`; sections where there are many. */
export function namesOf({ results }: ResultGroup): string {
  const names = results.map(({ id, section }) => (results.length > mostIds ? section : id));
  return [...new Set(names)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join(', ');
}

const mostIds = 12;

/** A failed result, where waivers are out of date; none otherwise. For formats that know nothing but results. */
export function outdatedWaiverResults({ outdatedWaivers = [] }: Pick<Report, 'outdatedWaivers'>): RequirementResult[] {
  if (outdatedWaivers.length === 0) return [];
  const expected = 'a waivers file without such a waiver';
  return [
    {
      id: 'waivers',
      section: '',
      level: 'MUST',
      title: 'each waiver is needed and has not expired',
      source: 'the waivers file',
      verdict: 'fail',
      reason: outdatedWaivers.join('; '),
      findings: outdatedWaivers.map((actual) => ({ expected, actual, exchanges: [] })),
      requests: 0,
    },
  ];
}
