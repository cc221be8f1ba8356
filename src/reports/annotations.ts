import { type Report, sectionOf } from '../requirement/index.js';
import { blockedByReason, namesOf, sharedCauses } from './judged.js';
import { brief } from '../visible.js';

/** GitHub shows ten errors and ten warnings of a step; more are lost without a word. */
const shown = 10;

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function command(kind: 'error' | 'warning' | 'notice', title: string, lines: readonly string[]): string {
  return `::${kind} title=${escapeProperty(brief(title, 200))}::${escapeData(lines.map((line) => brief(line, 1_000)).join('\n'))}`;
}

/** Workflow commands that put the breaches on a GitHub run's page; none elsewhere than in GitHub Actions. */
export function githubAnnotations(
  report: Report,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  if (environment['GITHUB_ACTIONS'] !== 'true') return [];
  const out: string[] = [];
  // Requirements blocked for the same reason share one annotation.
  const causes = sharedCauses(report.requirements);
  const groups = new Map(blockedByReason(report.requirements).map((group) => [group.results[0], group]));
  for (const sentence of report.outdatedWaivers ?? []) out.push(command('error', 'outdated waiver', [sentence]));
  for (const kind of ['error', 'warning', 'notice'] as const) {
    const verdicts = { error: ['fail', 'error', 'blocked'], warning: ['warn'], notice: ['waived'] }[kind];
    const annotated = report.requirements.filter(
      (result) =>
        verdicts.includes(result.verdict) &&
        !causes.has(result.id) &&
        (result.verdict !== 'blocked' || groups.has(result)),
    );
    const fit = annotated.length > shown ? shown - 1 : shown;
    for (const result of annotated.slice(0, fit)) {
      const curl = result.findings[0]?.curl;
      const group = groups.get(result);
      const title =
        group !== undefined && group.results.length > 1
          ? `${group.results.length} requirements blocked: ${namesOf(group)}`
          : `${[result.id, ...[...causes].flatMap(([id, head]) => (head.id === result.id ? [id] : []))].join(', ')} ${result.verdict}: ${result.title}`;
      out.push(command(kind, title, curl === undefined ? [result.reason] : [result.reason, curl]));
    }
    const rest = annotated.slice(fit);
    if (rest.length > 0) {
      const sections = [...new Set(rest.map((result) => sectionOf(result.id)))].join(', ');
      out.push(command(kind, `${rest.length} more`, [`${rest.map((result) => result.id).join(', ')} (${sections})`]));
    }
  }
  return out;
}
