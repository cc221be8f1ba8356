import type { Report, Verdict } from '../requirement/index.js';
import { causesOf, namesOf } from './judged.js';
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
  for (const sentence of report.outdatedWaivers ?? []) out.push(command('error', 'outdated waiver', [sentence]));
  const kinds = [
    ['error', ['fail', 'error', 'blocked']],
    ['warning', ['warn']],
    ['notice', ['waived']],
  ] as const satisfies readonly (readonly [string, readonly Verdict[]])[];
  for (const [kind, verdicts] of kinds) {
    const annotated = causesOf(report.requirements, ...verdicts);
    const fit = annotated.length > shown ? shown - 1 : shown;
    for (const cause of annotated.slice(0, fit)) {
      const [result, ...others] = cause.results;
      const { verdict, reason } = result;
      const curl = result.findings[0]?.curl;
      const title =
        verdict === 'blocked' && others.length > 0
          ? `${cause.results.length} requirements blocked: ${namesOf(cause)}`
          : `${cause.results.map(({ id }) => id).join(', ')} ${verdict}: ${result.title}`;
      out.push(command(kind, title, curl === undefined ? [reason] : [reason, curl]));
    }
    const rest = annotated.slice(fit).flatMap(({ results }) => results);
    if (rest.length > 0) {
      out.push(command(kind, `${rest.length} more`, [namesOf({ results: rest })]));
    }
  }
  return out;
}
