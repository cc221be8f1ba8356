import { type Report, type RequirementResult, sectionOf } from '../requirement/index.js';
import {
  documentLine,
  failureLines,
  outcomeLine,
  outcomeLines,
  painter,
  progressLine,
  requiredLines,
  safe,
  sectionLine,
  sharedReasonLines,
  waivedLines,
} from './console-format.js';
import { blockedByReason, scopeDoubt, sharedCauses } from './judged.js';
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

/** A reporter that writes a line per section as it is done and rewrites one progress line where the stream is a terminal. */
export function consoleReporter(stream: ConsoleStream): Reporter {
  const paint = painter(wantsColour(stream));
  const waiting = new Map<string, Set<string>>();
  const results = new Map<string, RequirementResult[]>();
  const written = new Set<string>();
  let total = 0;
  let done = 0;
  let doing = '';
  let open = false;
  let sections: Report['sections'];
  /** Only why little is judged, what fails besides, and the outcome. */
  let isBrief = false;

  const titleOf = (section: string): string => sectionTitle(section, sections);
  const clear = (): void => {
    if (open) stream.write('\r\x1b[2K');
    open = false;
  };
  const lines = (all: readonly string[]): void => {
    clear();
    stream.write(`${all.join('\n')}\n`);
  };
  const progress = (): void => {
    if (stream.isTTY !== true) return;
    clear();
    stream.write(progressLine(done, total, doing, (stream.columns ?? 80) - 1, paint));
    open = true;
  };

  return {
    begin(plan) {
      total = plan.requirements.length;
      sections = plan.sections;
      isBrief = plan.isBrief;
      if (!isBrief)
        stream.write(
          `${plan.embedded ? 'The embedded reference service' : plan.baseUrl}, ${total} ${total === 1 ? 'requirement' : 'requirements'}, seed ${plan.seed}\n\n`,
        );
      for (const { id } of plan.requirements)
        waiting.set(sectionOf(id), (waiting.get(sectionOf(id)) ?? new Set()).add(id));
      progress();
    },
    starting({ id, title }) {
      doing = `${id} ${title}`;
      progress();
    },
    result(result) {
      const section = sectionOf(result.id);
      const left = waiting.get(section);
      if (left?.delete(result.id) === true) done += 1;
      results.set(section, [...(results.get(section) ?? []), result]);
      if (left?.size === 0 && !written.has(section) && !isBrief) {
        written.add(section);
        if (!isBlocked(results.get(section) ?? []))
          lines([sectionLine(section, titleOf(section), results.get(section) ?? [], paint)]);
      }
      progress();
    },
    end(report) {
      const groups = [...bySection(report.requirements, report.sections)];
      const late = groups
        .filter(([section, all]) => !written.has(section) && !isBlocked(all))
        .map(([section, all]) => sectionLine(section, titleOf(section), all, paint));
      const reported = groups.flatMap(([, all]) => all);
      const causes = sharedCauses(reported);
      // In brief, all that the document fails is one line.
      const short = reported.filter(({ section, verdict }) => isBrief && section === 'DOC' && verdict === 'fail');
      const of = (...verdicts: string[]): string[] =>
        reported
          .filter((result) => verdicts.includes(result.verdict) && !short.includes(result))
          .filter(({ verdict, section }) => !isBrief || verdict !== 'warn' || section !== 'DOC')
          .flatMap((result) => ['', ...failureLines(result, paint, causes.get(result.id))]);
      const required = reported.filter((one) => one.verdict === 'blocked' && one.required === true);
      const blocked = blockedByReason(reported.filter((result) => !required.includes(result))).flatMap((group) => {
        const [first, ...others] = group.results;
        const shared = sharedReasonLines(group, paint);
        if (first === undefined) return [];
        if (isBrief) return short.length === 0 ? shared : [`${shared[0] ?? ''}: ${shared[1]?.trim() ?? ''}`];
        return ['', ...(others.length > 0 ? shared : failureLines(first, paint))];
      });
      const doubt = scopeDoubt(reported);
      lines([
        ...(isBrief ? [] : late),
        ...(doubt === null ? [] : ['', `  ${safe(doubt, 600)}`]),
        ...documentLine(short, paint),
        ...of('fail'),
        ...of('error'),
        ...blocked,
        ...(required.length > 0 ? ['', ...requiredLines(required, paint)] : []),
        ...reported
          .filter(({ verdict }) => verdict === 'waived')
          .flatMap((result) => ['', ...waivedLines(result, paint)]),
        ...of('warn'),
        ...(isBrief ? [outcomeLine(report, paint, true)] : ['', ...outcomeLines(report, paint)]),
      ]);
    },
  };
}
