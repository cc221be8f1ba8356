import type { Verdict } from '../requirement/types.js';

/** What came of judging one service's limits once: plain data, so that it can cross processes. */
export interface SteadyOutcome {
  readonly name: string;
  readonly requirement: string | null;
  /** What else the same fault breaks. */
  readonly collateral: readonly string[];
  readonly seconds: number;
  readonly verdicts: readonly { readonly id: string; readonly verdict: Verdict; readonly reason: string }[];
}

/** Whether a conforming service was blamed or warned of, a fault was not told, or something was told that it does not break. */
export function isWrong({ requirement, collateral, verdicts }: SteadyOutcome): boolean {
  if (verdicts.some(({ verdict }) => verdict === 'error')) return true;
  if (requirement === null) return verdicts.some(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const own = verdicts.find(({ id }) => id === requirement)?.verdict;
  if (own !== 'fail' && own !== 'blocked') return true;
  return verdicts.some(({ id, verdict }) => verdict === 'fail' && id !== requirement && !collateral.includes(id));
}

/** Whether something was not judged that was to be: a row of a conforming service, or the one that a fault is to turn red. */
export function isBlocked({ requirement, verdicts }: SteadyOutcome): boolean {
  return verdicts.some(({ id, verdict }) => verdict === 'blocked' && (requirement === null || id === requirement));
}

/** 0 where all that was asked for was run and judged rightly; 1 where something was judged wrongly; 3 where some was not run or not judged. */
export function steadyStatus(outcomes: readonly SteadyOutcome[], asked: number): 0 | 1 | 3 {
  if (outcomes.some(isWrong)) return 1;
  return outcomes.length < asked || outcomes.some(isBlocked) ? 3 : 0;
}

function count(outcomes: readonly SteadyOutcome[], ...kinds: readonly Verdict[]): number {
  return outcomes.flatMap(({ verdicts }) => verdicts).filter(({ verdict }) => kinds.includes(verdict)).length;
}

/** The requirements that turned red, and how often: `LIMIT-01, LIMIT-08 (2)`. */
function redOnes(outcomes: readonly SteadyOutcome[]): string {
  const times = new Map<string, number>();
  for (const { id, verdict } of outcomes.flatMap(({ verdicts }) => verdicts))
    if (verdict === 'fail') times.set(id, (times.get(id) ?? 0) + 1);
  return [...times]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([id, count]) => (count === outcomes.length ? id : `${id} (${count})`))
    .join(', ');
}

/** A row for each service, as Markdown, and below it why rows were not judged or judged wrongly, and how many of those `asked` for were run. */
export function steadyTable(outcomes: readonly SteadyOutcome[], asked: number): string {
  const names = [...new Set(outcomes.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const own = outcomes.filter((outcome) => outcome.name === name);
    const verdicts = [count(own, 'pass'), count(own, 'fail'), count(own, 'warn'), count(own, 'blocked')];
    const longest = Math.max(...own.map(({ seconds }) => seconds));
    return `| ${name} | ${own.length} | ${verdicts.join(' | ')} | ${own.filter(isWrong).length} | ${longest.toFixed(0)} | ${redOnes(own)} |`;
  });
  const reasons = new Map<string, number>();
  for (const { name, requirement, verdicts } of outcomes) {
    for (const { id, verdict, reason } of verdicts) {
      const usual = verdict === 'pass' || (verdict === 'fail' && requirement !== null);
      const telling = usual ? requirement === id && verdict === 'pass' : verdict !== 'not-applicable';
      const line = `- ${name}: ${id} ${verdict}: ${reason.slice(0, 400)}`;
      if (telling) reasons.set(line, (reasons.get(line) ?? 0) + 1);
    }
  }
  return [
    '| service | runs | pass | fail | warn | blocked | judged wrongly | longest, s | red |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...[...reasons].map(([line, times]) => (times === 1 ? line : `${line} (${times} times)`)),
    `${outcomes.length} of ${asked} runs: ${outcomes.filter(isWrong).length} judged wrongly, ${outcomes.filter(isBlocked).length} not judged in full${outcomes.length < asked ? '; the others were not run, as --minutes was over' : ''}`,
    '',
  ].join('\n');
}
