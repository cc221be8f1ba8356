import { problemsOf } from './outcome.js';
import type { Outcome } from './outcome.js';

const byId = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function red(outcome: Outcome): string[] {
  return Object.keys(outcome.verdicts)
    .filter((id) => outcome.verdicts[id] === 'fail' || (id === outcome.requirement && outcome.verdicts[id] === 'warn'))
    .sort(byId);
}

/**
 * The matrix as Markdown: each fault with the requirements it turned red, each variant and constant server with what it got. There are
 * `existing` faults.
 */
export function matrixTable(outcomes: readonly Outcome[], existing: number): string {
  const of = (kind: Outcome['kind']): Outcome[] => outcomes.filter((one) => one.kind === kind);
  const faults = of('fault').sort((a, b) => byId(a.requirement ?? '', b.requirement ?? '') || byId(a.name, b.name));
  const lines = [
    '# Kill matrix',
    '',
    summary(outcomes, existing),
    '',
    '## Faults',
    '',
    '| fault | breaks | red | also red, and why | requests | seconds |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const one of faults) {
    const caught = red(one);
    const also = caught
      .filter((id) => id !== one.requirement)
      .map((id) => `${id} (${one.collateral.find((other) => other.id === id)?.reason ?? 'NOT LISTED'})`);
    const found = one.requirement !== null && caught.includes(one.requirement);
    lines.push(
      `| ${one.name} | ${one.requirement ?? ''} | ${found ? 'yes' : '**NO**'} | ${also.join(', ')} | ${one.requests} | ${one.seconds.toFixed(1)} |`,
    );
  }
  lines.push('', '## Conforming variants', '', '| variant | red | requests | seconds |', '| --- | --- | --- | --- |');
  for (const one of of('variant'))
    lines.push(
      `| ${one.name.replaceAll('|', '\\|')} | ${problemsOf(one).join('; ').replaceAll('|', '\\|') || 'none'} | ${one.requests} | ${one.seconds.toFixed(1)} |`,
    );
  lines.push(
    '',
    '## Servers that answer everybody alike',
    '',
    '| server | passes by accident | requests | seconds |',
    '| --- | --- | --- | --- |',
  );
  for (const one of of('constant'))
    lines.push(
      `| ${one.name} | ${problemsOf(one).join('; ') || 'none'} | ${one.requests} | ${one.seconds.toFixed(1)} |`,
    );
  return `${lines.join('\n')}\n`;
}

/** What had to be judged a second time: said, never hidden. */
function again(outcomes: readonly Outcome[]): string {
  const twice = outcomes.filter((one) => one.twice).map((one) => one.name);
  return twice.length === 0
    ? ''
    : ` ${twice.length} judged a second time, as the machine was too busy for the first: ${twice.join('; ')}.`;
}

/** The matrix in a sentence or two: what was judged, and how many of the `existing` faults were not. */
export function summary(outcomes: readonly Outcome[], existing: number): string {
  const good = (kind: Outcome['kind']): string => {
    const all = outcomes.filter((one) => one.kind === kind);
    return `${all.filter((one) => problemsOf(one).length === 0).length} of ${all.length}`;
  };
  const proven = new Set(
    outcomes.filter((one) => one.kind === 'fault' && problemsOf(one).length === 0).map((one) => one.requirement),
  );
  const left = existing - outcomes.filter((one) => one.kind === 'fault').length;
  const more = left <= 0 ? '' : ` ${left} more faults were not judged here; npm run matrix judges all ${existing}.`;
  return `${good('fault')} faults caught by their own requirement and nothing unlisted, ${good('variant')} conforming variants green, ${good('constant')} constant servers without a MUST by accident; ${proven.size} requirements proven.${more}${again(outcomes)}`;
}
