import { type Report, type RequirementResult, sectionOf, type Verdict } from '../requirement/index.js';
import {
  documentLine,
  causeLines,
  outcomeLine,
  outcomeLines,
  painter,
  safe,
  sectionLine,
  sharedReasonLines,
} from './console-format.js';
import { causesOf, changesText, scopeDoubt } from './judged.js';
import type { Reporter } from './reporter.js';
import { bySection, sectionTitle } from './sections.js';

/** The output of the console reporter, such as `process.stdout`. */
export interface ConsoleStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Colour on a terminal, unless NO_COLOR asks for none or FORCE_COLOR for some. */
export function wantsColour(stream: ConsoleStream): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: some = '0', TERM: terminal } = process.env;
  if (none !== '') return false;
  return some !== '0' || (stream.isTTY === true && terminal !== 'dumb');
}

/** Sections of which nothing was judged: the end says why, once. */
const isBlocked = (results: readonly RequirementResult[]): boolean =>
  results.every(({ verdict }) => verdict === 'blocked');

/** A reporter that writes a line per section as it is done. */
export function consoleReporter(stream: ConsoleStream): Reporter {
  const paint = painter(wantsColour(stream));
  const waiting = new Map<string, Set<string>>();
  const results = new Map<string, RequirementResult[]>();
  const written = new Set<string>();
  let sections: Report['sections'];
  /** Only why little is judged, what fails besides, and the outcome. */
  let isBrief = false;

  const lines = (all: readonly string[]): void => {
    // The line that shows how far the run is gives way.
    stream.write(`${stream.isTTY === true ? '\r\x1b[2K' : ''}${all.join('\n')}\n`);
  };
  const lineOf = (section: string, all: readonly RequirementResult[]): string =>
    sectionLine(section, sectionTitle(section, sections), all, paint);

  return {
    begin(plan) {
      const { requirements, embedded, baseUrl, seed } = plan;
      ({ sections, isBrief } = plan);
      const many = `${requirements.length} ${requirements.length === 1 ? 'requirement' : 'requirements'}`;
      if (!isBrief) stream.write(`${embedded ? 'The embedded reference service' : baseUrl}, ${many}, seed ${seed}\n\n`);
      for (const { id } of requirements) waiting.set(sectionOf(id), (waiting.get(sectionOf(id)) ?? new Set()).add(id));
    },
    result(result) {
      const section = sectionOf(result.id);
      const left = waiting.get(section);
      left?.delete(result.id);
      const done = [...(results.get(section) ?? []), result];
      results.set(section, done);
      if (left?.size !== 0 || written.has(section) || isBrief) return;
      written.add(section);
      if (!isBlocked(done)) lines([lineOf(section, done)]);
    },
    end(report, since) {
      const groups = [...bySection(report.requirements, report.sections)];
      ({ sections } = report);
      const late = groups
        .filter(([section, all]) => !written.has(section) && !isBlocked(all))
        .map(([section, all]) => lineOf(section, all));
      const reported = groups.flatMap(([, all]) => all);
      // In brief, all that the document fails is one line.
      const inDocument = (verdict: Verdict): RequirementResult[] =>
        reported.filter((one) => isBrief && one.section === 'DOC' && one.verdict === verdict);
      const short = inDocument('fail');
      const left = new Set([...short, ...inDocument('warn')]);
      const shown = reported.filter((result) => !left.has(result));
      const of = (...verdicts: Verdict[]): string[] =>
        causesOf(shown, ...verdicts).flatMap((cause) => ['', ...causeLines(cause, paint)]);
      const blocked = causesOf(shown, 'blocked').flatMap((group) => {
        const lines = sharedReasonLines(group, paint);
        if (isBrief) return short.length === 0 ? lines : [`${lines[0] ?? ''}: ${lines[1]?.trim() ?? ''}`];
        return ['', ...(group.results.length > 1 ? lines : causeLines(group, paint))];
      });
      const doubt = scopeDoubt(reported);
      lines([
        ...(isBrief ? [] : late),
        ...(doubt === null ? [] : ['', `  ${safe(doubt, 600)}`]),
        ...documentLine(short, paint),
        ...of('fail', 'error'),
        ...blocked,
        ...of('waived', 'warn'),
        ...(since === null ? [] : ['', `  since ${safe(since.name)}: ${changesText(since)}`]),
        ...(isBrief ? [outcomeLine(report, paint, true)] : ['', ...outcomeLines(report, paint)]),
      ]);
    },
  };
}
