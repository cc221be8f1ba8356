import type { Verdict } from '../requirement/types.js';

/** What came of judging one service's limits once: plain data, so that it can cross processes. */
export interface SteadyOutcome {
  readonly name: string;
  readonly requirement: string | null;
  readonly seconds: number;
  readonly verdicts: readonly { readonly id: string; readonly verdict: Verdict; readonly reason: string }[];
}

/** Whether a conforming service was blamed, warned of, or a fault passed. */
export function isWrong({ requirement, verdicts }: SteadyOutcome): boolean {
  if (verdicts.some(({ verdict }) => verdict === 'error')) return true;
  if (requirement === null) return verdicts.some(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  return verdicts.some(({ id, verdict }) => id === requirement && verdict === 'pass');
}

function count(outcomes: readonly SteadyOutcome[], ...kinds: readonly Verdict[]): number {
  return outcomes.flatMap(({ verdicts }) => verdicts).filter(({ verdict }) => kinds.includes(verdict)).length;
}

/** A row for each service, as Markdown, and below it why rows were not judged or judged wrongly. */
export function steadyTable(outcomes: readonly SteadyOutcome[]): string {
  const names = [...new Set(outcomes.map(({ name }) => name))].sort();
  const rows = names.map((name) => {
    const own = outcomes.filter((outcome) => outcome.name === name);
    const verdicts = [count(own, 'pass'), count(own, 'fail'), count(own, 'warn'), count(own, 'blocked')];
    const longest = Math.max(...own.map(({ seconds }) => seconds));
    return `| ${name} | ${own.length} | ${verdicts.join(' | ')} | ${own.filter(isWrong).length} | ${longest.toFixed(0)} |`;
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
    '| service | runs | pass | fail | warn | blocked | judged wrongly | longest, s |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...[...reasons].map(([line, times]) => (times === 1 ? line : `${line} (${times} times)`)),
    '',
  ].join('\n');
}
