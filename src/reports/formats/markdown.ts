import type { Report, RequirementResult, Verdict } from '../../requirement/index.js';
import { outcomeText, tally } from '../console-format.js';
import {
  alsoIn,
  blockedByReason,
  causesOf,
  changesText,
  judgedText,
  namesOf,
  openings,
  type ResultGroup,
  scopeDoubt,
  type SinceBaseline,
  toldChanges,
} from '../judged.js';
import { code, fenced, prose } from './markdown-text.js';

/** A heading, and what stands below it: paragraphs, or items of a list. */
interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
  readonly blocks: readonly string[];
  readonly gap: '\n' | '\n\n';
}

/** The whole file, in characters: a comment on a pull request holds 65,536. */
const mostCharacters = 59_000;
/** Each section but the failures, which get what the others leave. */
const mostOfSection = 6_000;
/** The sentence on what is left out. */
const roomForRest = 120;

/** A line that is cut repeats nothing, so a longer one is left to the page. */
const longestCurl = 2_000;
const inPage = 'The request that shows it is in `conformance.html`.';

/** A section with as many of its blocks as fit; empty where it has none. */
function fit({ heading, lines, blocks, gap }: Section, most: number): string {
  if (lines.length + blocks.length === 0) return '';
  const head = [`### ${heading}`, ...lines].join('\n\n');
  const kept: string[] = [];
  let size = head.length + roomForRest;
  for (const block of blocks) {
    size += block.length + gap.length;
    if (size > most) break;
    kept.push(block);
  }
  const left = blocks.length - kept.length;
  const rest = left === 0 ? [] : [`${left} more are in \`conformance.html\` and \`conformance.json\`.`];
  return `${[head, ...(kept.length > 0 ? [kept.join(gap)] : []), ...rest].join('\n\n')}\n\n`;
}

const list = (heading: string, items: readonly string[], lines: readonly string[] = []): Section => ({
  heading,
  lines,
  blocks: items.map((item) => `- ${item}`),
  gap: '\n',
});

const named = ({ id, title }: RequirementResult): string => `**${prose(id)}** ${prose(title, 300)}`;

/** One cause in one sentence, and the request that shows it. */
function failure(cause: ResultGroup): string {
  const [result] = cause.results;
  const where = `${named(result)} (${result.level}, ${prose(result.source)})`;
  const [finding] = result.findings;
  if (finding === undefined || result.verdict === 'error') return `${where}: ${code(result.reason, 600)}`;
  const { expected, actual, curl } = finding;
  const more = result.findings.length - 1;
  const also = alsoIn(cause);
  return [
    `${where}: expected ${code(expected, 400)}, seen ${code(actual, 600)}${more > 0 ? `, and ${more} more like it` : ''}.${also === '' ? '' : ` Probably by the same cause: ${prose(also)}.`}`,
    ...(curl === undefined
      ? []
      : curl.length > longestCurl
        ? [inPage]
        : [`<details><summary>Request that shows it</summary>\n\n${fenced(curl, 'sh')}\n\n</details>`]),
  ].join('\n\n');
}

function failures({ requirements, counts }: Report): Section {
  const [failed, errors] = [counts.fail, counts.error];
  const words = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errors > 0 ? [`the suite itself failed in ${errors}`] : []),
  ];
  const doubt = scopeDoubt(requirements);
  return {
    heading: words.join(', '),
    lines: doubt === null ? [] : [prose(doubt, 600)],
    blocks: causesOf(requirements, 'fail', 'error').map(failure),
    gap: '\n\n',
  };
}

/** What is blocked, and the settings that let more be judged. */
function unjudged({ requirements, observations }: Report): Section {
  const left = requirements.filter(({ verdict }) => verdict !== 'blocked');
  return list('What could not be judged', [
    ...blockedByReason(requirements).map(
      (group) => `${group.results.length} blocked (${prose(namesOf(group))}): ${code(group.text, 400)}`,
    ),
    ...openings(left, observations).map(({ count, names, text }) => `${count} (${prose(names)}): ${code(text)}`),
  ]);
}

function sinceBaseline(since: SinceBaseline): Section {
  return list(
    'Since the baseline',
    toldChanges(since).map(
      ({ id, from, to, change }) => `${change}: **${prose(id)}** ${from ?? 'not judged'} → ${to ?? 'not judged'}`,
    ),
    [
      `Compared with ${code(since.name)}: ${changesText(since)}.`,
      ...since.notes.map(({ text, value }) => `${prose(text)} ${code(value)}.`),
    ],
  );
}

/** What stands below the failures. */
function otherSections(report: Report): Section[] {
  const of = (verdict: Verdict): RequirementResult[] => report.requirements.filter((one) => one.verdict === verdict);
  const warnings = of('warn').map((one) => `${named(one)}: seen ${code(one.findings[0]?.actual ?? one.reason, 200)}`);
  const waived = of('waived').map((one) => `${named(one)}: ${code(one.reason, 400)}`);
  return [unjudged(report), list('Warnings', warnings), list('Waived', waived)];
}

/** `conformance.md`: the run for a job summary or a comment. Text of the service stands in code only, where it can be neither markup nor a mention. */
export function renderMarkdown(report: Report, since: SinceBaseline | null): string {
  const { target, requests, seconds, seed, outdatedWaivers = [] } = report;
  const service = target.embedded ? 'the embedded reference service' : code(target.baseUrl);
  const worse = since?.changes.filter(({ change }) => change === 'worse').length ?? 0;
  const head = [
    `## ${worse === 0 ? '' : `${worse} worse since ${code(since?.name ?? '')}. `}${outcomeText(report)}: ${service}, ${judgedText(report.requirements)}`,
    `${tally(report.counts)}; ${requests.toLocaleString('en')} requests in ${seconds.toFixed(1)} s, seed ${seed}`,
    '',
  ].join('\n\n');
  const waivers = list(
    'Waivers out of date',
    outdatedWaivers.map((sentence) => code(sentence)),
  );
  const changed = since === null ? [] : [sinceBaseline(since)];
  const [above, below] = [[...changed, waivers], otherSections(report)].map((sections) =>
    sections.map((section) => fit(section, mostOfSection)).join(''),
  );
  const used = [head, above, below].join('').length;
  return [head, above, fit(failures(report), mostCharacters - used), below].join('');
}
