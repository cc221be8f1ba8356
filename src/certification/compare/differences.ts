import type { Observation, RequirementResult } from '../../requirement/index.js';

/** One difference between what a report says and what its evidence says. */
export interface ReportDifference {
  readonly id: string;
  readonly kind: 'verdict' | 'words' | 'observation';
  readonly stated: string;
  readonly found: string;
  /** What an observation answers. */
  readonly question?: string;
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

/** An observation in all its words. */
const wholeText = ({ observed, detail }: Observation): string => [observed, detail].filter(Boolean).join(': ');

/** An observation without what differs from run to run. */
export const lastingText = ({ observed }: Observation): string => observed;

/** Observations that only one side has, by who asked and what; `textOf` says what of them is compared. */
export function observationDifferences(
  stated: readonly Observation[],
  found: readonly Observation[],
  textOf = wholeText,
): ReportDifference[] {
  const group = (list: readonly Observation[]): Map<string, string[]> => {
    const groups = new Map<string, string[]>();
    for (const one of list) {
      const name = `${one.id}\n${one.question}`;
      groups.set(name, [...(groups.get(name) ?? []), textOf(one)]);
    }
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
            question,
            stated: a || notAsked,
            found: b || notAsked,
          },
        ];
  });
}
