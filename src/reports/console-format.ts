import { countsOf, type Report, type RequirementResult, type Verdict } from '../requirement/index.js';
import { alsoIn, judgedText, namesOf, notApplicableByReason, openingTexts, type ResultGroup } from './judged.js';
import { brief, visible } from '../visible.js';

/** Wraps text in a colour, or hands it back where colour is off. */
export type Paint = (colour: 'red' | 'green' | 'yellow' | 'blue' | 'dim' | 'bold', text: string) => string;

const codes = { red: '31', green: '32', yellow: '33', blue: '36', dim: '2', bold: '1' } as const;

/** A painter with ANSI colours, or one that leaves text alone. */
export function painter(colour: boolean): Paint {
  return (name, text) => (colour ? `\x1b[${codes[name]}m${text}\x1b[0m` : text);
}

/** How a verdict looks and reads: the gravest first, and what was judged before what was not. */
export const looks = {
  fail: { sign: '✗', word: 'failed', colour: 'red' },
  error: { sign: '‼', word: 'suite error', colour: 'red' },
  blocked: { sign: '■', word: 'blocked', colour: 'yellow' },
  waived: { sign: '~', word: 'waived', colour: 'yellow' },
  warn: { sign: '▲', word: 'warned', colour: 'yellow' },
  pass: { sign: '✓', word: 'passed', colour: 'green' },
  'not-applicable': { sign: '–', word: 'not applicable', colour: 'dim' },
} as const satisfies Record<Verdict, object>;

/** The verdicts in the order of `looks`. */
export const verdictOrder = Object.keys(looks) as readonly Verdict[];

/** The gravest of results. */
export function gravestOf(results: readonly RequirementResult[]): RequirementResult | undefined {
  return verdictOrder.flatMap((verdict) => results.find((result) => result.verdict === verdict) ?? [])[0];
}

const longest = 600;

/** Text of the target on a console: nothing in it steers the terminal, nor a CI runner that looks for `##[…]` and `##vso[…]` in a log. */
export function safe(text: string, most = longest): string {
  return brief(text, most).replace(/##(?=\[|vso\[)/g, '#\\#');
}

/** `3 failed · 60 passed`, the verdicts that occur. */
export function tally(counts: Readonly<Record<Verdict, number>>, paint: Paint = painter(false)): string {
  const parts = verdictOrder
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => paint(looks[verdict].colour, `${counts[verdict]} ${looks[verdict].word}`));
  return parts.join(paint('dim', ' · '));
}

/** One line for a finished section: the sign of its worst verdict, its name, its counts. */
export function sectionLine(
  section: string,
  title: string,
  results: readonly RequirementResult[],
  paint: Paint,
): string {
  const counts = countsOf(results);
  const gravest = verdictOrder.find((verdict) => counts[verdict] > 0) ?? 'not-applicable';
  const { sign, colour } = looks[gravest];
  return `  ${paint(colour, sign)} ${paint('bold', visible(section).padEnd(6))} ${visible(title).padEnd(32)} ${tally(counts, paint)}`;
}

/** The lines that explain what did not hold, or what a waiver lets pass, by its first result. */
export function causeLines(cause: ResultGroup, paint: Paint): string[] {
  const [result] = cause.results;
  const { sign, colour } = looks[result.verdict];
  const name = `  ${paint(colour, `${sign} ${visible(result.id)}`)} ${paint('bold', safe(result.title))}`;
  if (result.verdict === 'waived') return [name, `    ${safe(result.reason)}`];
  const lines = [`${name} ${paint('dim', `${result.level}, ${safe(result.source)}`)}`];
  const finding = result.findings[0];
  if (finding === undefined || result.verdict === 'error' || result.verdict === 'blocked')
    lines.push(`    why       ${safe(result.reason)}`);
  if (finding === undefined) return lines;
  lines.push(`    expected  ${safe(finding.expected)}`, `    seen      ${safe(finding.actual)}`);
  if (finding.curl !== undefined) lines.push(`    see it    ${safe(finding.curl, 2_000)}`);
  if (finding.replay !== undefined) lines.push(`    replay    ${safe(finding.replay, 2_000)}`);
  const more = result.findings.length - 1;
  if (more > 0) lines.push(paint('dim', `    and ${more} more like it in the report`));
  const also = alsoIn(cause);
  if (also !== '') lines.push(`    also      ${visible(also)}, probably by the same cause`);
  return lines;
}

/** The lines that explain several requirements that are blocked for the same reason. */
export function sharedReasonLines(group: ResultGroup, paint: Paint): string[] {
  const { sign, colour } = looks.blocked;
  return [
    `  ${paint(colour, sign)} ${paint('bold', safe(group.text))}`,
    `    ${group.results.length === 1 ? '1 requirement is' : `${group.results.length} requirements are`} blocked for this reason (${visible(namesOf(group))})`,
  ];
}

/** One line on a document that is missing or empty, and all that it fails. */
export function documentLine(failed: readonly RequirementResult[], paint: Paint): string[] {
  const [first] = failed;
  if (first === undefined) return [];
  const { sign, colour } = looks.fail;
  const names = namesOf({ results: failed });
  return [
    `  ${paint(colour, `${sign} ${visible(names)}`)} ${paint('bold', safe(first.title))}: ${safe(first.findings[0]?.actual ?? first.reason, 200)}`,
  ];
}

const colours = { conformant: 'green', nonconformant: 'red', incomplete: 'yellow' } as const;

/** The outcome of a report, in words. A run that passes only because of waivers is not called conformant. */
export function outcomeText({
  outcome,
  counts,
  outdatedWaivers,
}: Pick<Report, 'outcome' | 'counts' | 'outdatedWaivers'>): string {
  if (outdatedWaivers !== undefined && counts.fail === 0) return 'Waivers out of date';
  if (outcome !== 'conformant') return outcome === 'incomplete' ? 'Incomplete' : 'Not conformant';
  if (counts.waived > 0) return `Passed with ${counts.waived} ${counts.waived === 1 ? 'waiver' : 'waivers'}`;
  return 'Conformant';
}

/** The outcome, the target and how much was judged. */
export function outcomeLine(report: Report, paint: Paint, isBrief = false): string {
  const text = outcomeText(report).toUpperCase();
  const isOpen = report.counts.pass + report.counts.fail > 0;
  return `  ${paint('bold', paint(colours[report.outcome], text))}  ${safe(report.target.baseUrl)}, ${judgedText(report.requirements)}${isBrief && isOpen ? `: ${tally(report.counts, paint)}` : ''}`;
}

/** The last lines: the outcome, how much was judged, the counts, the settings that let more be judged, and the cost. */
export function outcomeLines(report: Report, paint: Paint): string[] {
  return [
    ...(report.outdatedWaivers ?? []).map((sentence) => `  ${paint('red', `✗ ${safe(sentence)}`)}`),
    outcomeLine(report, paint),
    `  ${tally(report.counts, paint)}`,
    ...openingTexts(report.requirements, report.observations).map((text) => `  ${safe(text)}`),
    ...notApplicableByReason(report.requirements).map(
      (group) => `  ${group.results.length} not applicable: ${safe(group.text, 300)} (${visible(namesOf(group))})`,
    ),
    paint(
      'dim',
      `  ${report.requests.toLocaleString('en')} requests in ${report.seconds.toFixed(1)} s, seed ${report.seed}`,
    ),
    ...(report.traceId === undefined
      ? []
      : [paint('dim', `  trace ${report.traceId}, in the traceparent header of each`)]),
  ];
}
