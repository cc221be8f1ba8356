import type { Observation, RequirementResult } from '../../requirement/index.js';

/** One difference between what a report says and what its evidence says. */
export interface ReportDifference {
  readonly id: string;
  readonly kind: 'verdict' | 'words' | 'observation';
  readonly stated: string;
  readonly found: string;
  /** It is only in what differs from run to run. */
  readonly isIncidental?: boolean;
}

/** How results differ from those stated, by id; verdicts first. */
export function differencesOf(
  stated: readonly RequirementResult[],
  found: readonly RequirementResult[],
): ReportDifference[] {
  const say = (one: RequirementResult | undefined): string =>
    one === undefined ? 'nothing' : `${one.verdict} (${one.reason})`;
  const ids = [...new Set([...stated, ...found].map((one) => one.id))];
  const all = ids.flatMap((id): ReportDifference[] => {
    const [then, now] = [stated, found].map((results) => results.find((one) => one.id === id));
    if (then?.verdict !== now?.verdict) return [{ id, kind: 'verdict', stated: say(then), found: say(now) }];
    if (then === undefined || now === undefined || then.reason === now.reason) return [];
    return [{ id, kind: 'words', stated: then.reason, found: now.reason }];
  });
  return [...all.filter(({ kind }) => kind === 'verdict'), ...all.filter(({ kind }) => kind === 'words')];
}

const notAsked = 'was not asked';

/** Counts that depend on how much a run sent. */
const efforts = /^(?:ms|s|more|requests?|rounds?|times|creates?|sequences?)[.,;:)]*$/;

/** The text without the parts that change in every run: ids, seeds, instants, durations and numbers of requests. */
function lastingText(text: string): string {
  const words = text.split(' ');
  return words
    .map((word, at) => {
      const isOfRun =
        /[0-9a-f]{8}|\d-\d\dT\d/i.test(word) || (/^\(?[\d.,]+$/.test(word) && efforts.test(words[at + 1] ?? ''));
      return isOfRun ? '…' : word;
    })
    .join(' ');
}

/** Whether two texts differ only in parts that change from run to run. */
function differsByRunOnly(one: string, other: string): boolean {
  return lastingText(one) === lastingText(other);
}

/** Observations that only one side has, by who asked and what. */
export function observationDifferences(
  stated: readonly Observation[],
  found: readonly Observation[],
): ReportDifference[] {
  const group = (list: readonly Observation[]): Map<string, string[]> => {
    const groups = new Map<string, string[]>();
    for (const { id, question, observed } of list)
      groups.set(`${id}\n${question}`, [...(groups.get(`${id}\n${question}`) ?? []), observed]);
    return groups;
  };
  const [then, now] = [group(stated), group(found)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((name) => {
    const [a, b] = [(then.get(name) ?? []).join(' | '), (now.get(name) ?? []).join(' | ')];
    const [id = '', question = ''] = name.split('\n');
    return a === b
      ? []
      : [
          {
            id,
            kind: 'observation' as const,
            stated: `${question} ${a || notAsked}`,
            found: b || notAsked,
            isIncidental: differsByRunOnly(a, b),
          },
        ];
  });
}
