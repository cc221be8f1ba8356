import { remedyText } from '../settings/index.js';
import type { Observation, Report, RequirementResult, Verdict } from '../requirement/index.js';
import { brief } from '../visible.js';

export const isJudged = ({ verdict, waivedVerdict }: RequirementResult): boolean =>
  ['pass', 'fail', 'warn'].includes(waivedVerdict ?? verdict);

/** `61 of 84 judged`. */
export function judgedText(results: readonly RequirementResult[]): string {
  return `${results.filter(isJudged).length} of ${results.length} judged`;
}

/** Results that belong together; `text` is what they share, and the first shows it. */
export interface ResultGroup {
  readonly text: string;
  readonly results: readonly [RequirementResult, ...RequirementResult[]];
}

function groupBy(
  results: readonly RequirementResult[],
  textOf: (result: RequirementResult) => string | null,
): ResultGroup[] {
  const groups = new Map<string, [RequirementResult, ...RequirementResult[]]>();
  for (const result of results) {
    const text = textOf(result);
    const group = groups.get(text ?? '');
    if (text === null) continue;
    if (group === undefined) groups.set(text, [result]);
    else group.push(result);
  }
  return [...groups].map(([text, members]) => ({ text, results: members }));
}

/** What decided each finding: its last exchange, and of an operation the kind of breach in its section, a refusal with its body, or that the answer was no JSON. */
const decidedBy = ({ section, findings }: RequirementResult): (string | undefined)[][] =>
  findings.map(({ exchanges, code, place: { operation = '', status, refusal, noJson } = {} }) => [
    exchanges.at(-1),
    code === undefined || operation === '' ? undefined : `${section} ${code} ${operation}`,
    refusal === undefined ? undefined : `${operation} ${status ?? ''} ${refusal}`,
    noJson === true ? `${operation} no JSON` : undefined,
  ]);

/**
 * For the id of a failed or warned result, the result that most likely has the same cause: its findings show every exchange that decided
 * the findings of the other, or of the same operation the same kind of breach, a refusal of the same words, or an answer that is no JSON.
 */
export function sharedCauses(results: readonly RequirementResult[]): ReadonlyMap<string, RequirementResult> {
  const heads: RequirementResult[] = [];
  const found = new Map<string, RequirementResult>();
  const rank = ({ verdict, level }: RequirementResult): number =>
    (verdict === 'fail' ? 0 : 2) + (level === 'MUST' ? 0 : 1);
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

/** What did not hold, by cause, in the order of `verdicts`: those that most likely have one cause, and those that are blocked for one reason. */
export function causesOf(results: readonly RequirementResult[], ...verdicts: readonly Verdict[]): ResultGroup[] {
  const shared = sharedCauses(results);
  return verdicts.flatMap((verdict) => {
    const heads = results.filter((result) => result.verdict === verdict && !shared.has(result.id));
    if (verdict === 'blocked') return blockedByReason(heads);
    return heads.map((head): ResultGroup => {
      const others = results.filter(({ id }) => shared.get(id) === head);
      return { text: head.reason, results: [head, ...others] };
    });
  });
}

/** The others of a cause, by their names; '' for none. */
export const alsoIn = ({ results: [, ...others] }: ResultGroup): string => namesOf({ results: others });

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
export function remedyOf(result: RequirementResult): string | null {
  return isJudged(result) || result.remedy === undefined ? null : remedyText(result.remedy);
}

/** What lets a run judge more, and which requirements; the most first. */
export interface Opening {
  /** `7 more`, or `1 in part` where a check observed that it could not judge the rest. */
  readonly count: string;
  readonly text: string;
  readonly names: string;
  readonly first: RequirementResult;
}

export function openings(
  results: readonly RequirementResult[],
  observations: readonly Pick<Observation, 'id' | 'remedy'>[],
): Opening[] {
  const groups = groupBy(results, remedyOf).sort((a, b) => b.results.length - a.results.length);
  const partly = observations.flatMap(({ id, remedy }): Opening[] => {
    const first = results.find((result) => result.id === id);
    return remedy === undefined || first === undefined
      ? []
      : [{ count: '1 in part', text: remedyText(remedy), names: id, first }];
  });
  const more = groups.map((group): Opening => {
    return { count: `${group.results.length} more`, text: group.text, names: namesOf(group), first: group.results[0] };
  });
  return [...more, ...partly];
}

/** `7 more: set SIGNING_SECRET (HOOK-01, HOOK-02)`, for each. */
export const openingTexts = (...of: Parameters<typeof openings>): string[] =>
  openings(...of).map(({ count, text, names }) => `${count}: ${text} (${names})`);

/** The requirements that are not applicable for a reason without a remedy, by reason. */
export function notApplicableByReason(results: readonly RequirementResult[]): ResultGroup[] {
  return groupBy(results, (result) =>
    result.verdict === 'not-applicable' && remedyOf(result) === null ? result.reason : null,
  );
}

/** `61 blocked: the reason`, for each reason that asks for no setting. */
export function blockedTexts(results: readonly RequirementResult[]): string[] {
  return blockedByReason(results.filter((result) => remedyOf(result) === null)).map(
    (group) => `${group.results.length} blocked: ${brief(group.text, 300)}`,
  );
}

/** `UNIT-01, UNIT-02`, `LIMIT-01 … LIMIT-10`; sections where there are many. */
export function namesOf({ results }: { readonly results: readonly RequirementResult[] }): string {
  const names = results.map(({ id, section }) => (results.length > mostIds ? section : id));
  const runs: string[][] = [];
  for (const name of [...new Set(names)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const before = name.replace(/(?<!\d)\d+$/, (number) => String(Number(number) - 1).padStart(number.length, '0'));
    const run = runs.at(-1);
    if (run?.at(-1) === before && before !== name) run.push(name);
    else runs.push([name]);
  }
  return runs.map((run) => (run.length > 3 ? `${run[0]} … ${run.at(-1)}` : run.join(', '))).join(', ');
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

/**
 * One requirement whose verdict is another than in an earlier report; null where a run left it out. What a run left out, or what a waiver
 * accepts now, is neither worse nor better.
 */
export interface VerdictChange {
  readonly id: string;
  readonly title: string;
  readonly from: Verdict | null;
  readonly to: Verdict | null;
  readonly change: 'worse' | 'better' | 'waived' | 'new' | 'gone';
  /** As the later report words it. */
  readonly reason: string;
  /** The change that most likely has the same cause, by its id. */
  readonly cause?: string;
}

/** What differs from an earlier report. */
export interface SinceBaseline {
  readonly name: string;
  /** Why the two may differ for another reason than the service. */
  readonly notes: readonly { readonly text: string; readonly value: string }[];
  readonly changes: readonly VerdictChange[];
}

/** The changes that are listed: of what was judged in one of the two only, the failures of the later. */
export const toldChanges = ({ changes }: Pick<SinceBaseline, 'changes'>): VerdictChange[] =>
  changes.filter(({ change, to }) => change !== 'gone' && (change !== 'new' || to === 'fail'));

/** How many requirements changed, and how: `2 worse, 1 better`. */
export function changesText(
  { changes }: Pick<SinceBaseline, 'changes'>,
  { earlier, later } = { earlier: 'then', later: 'now' },
): string {
  const words = { new: `judged only ${later}`, gone: `judged only ${earlier}` };
  const counts = (['worse', 'better', 'waived', 'new', 'gone'] as const).flatMap((change) => {
    const found = changes.filter((one) => one.change === change).length;
    return found === 0 ? [] : [`${found} ${change === 'new' || change === 'gone' ? words[change] : change}`];
  });
  return counts.join(', ') || 'no verdict differs';
}
