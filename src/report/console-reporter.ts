import type { Report, RequirementResult } from '../requirement/types.js';
import {
  failureLines,
  outcomeLines,
  painter,
  progressLine,
  sectionLine,
  sharedReasonLines,
  waivedLines,
} from './console-format.js';
import { blockedByReason, sharedCauses } from './judged.js';
import { bySection, sectionOf } from './sections.js';

/** Where the console reporter writes; `process.stdout` fits. */
export interface ConsoleStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Tells a person how a run goes. */
export interface ConsoleReporter {
  /** The ids that will be judged, so that progress has a whole. */
  begin(ids: readonly string[]): void;
  /** A check starts; shown while it runs, on a terminal only. */
  started(id: string, title: string): void;
  /** A verdict is there; the section's line is written with its last one. */
  settled(result: RequirementResult): void;
  /** Sections still open, then what did not hold, then the outcome. */
  end(report: Report): void;
}

/** Colour on a terminal, unless NO_COLOR asks for none or FORCE_COLOR for some. */
export function wantsColour(
  stream: ConsoleStream,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false;
  if ((environment['FORCE_COLOR'] ?? '0') !== '0') return true;
  return stream.isTTY === true && environment['TERM'] !== 'dumb';
}

/** A reporter that writes a line per section as it is done and rewrites one progress line where the stream is a terminal. */
export function consoleReporter(options: {
  readonly stream: ConsoleStream;
  readonly colour?: boolean;
}): ConsoleReporter {
  const { stream } = options;
  const paint = painter(options.colour ?? wantsColour(stream));
  const waiting = new Map<string, Set<string>>();
  const results = new Map<string, RequirementResult[]>();
  const written = new Set<string>();
  let total = 0;
  let done = 0;
  let doing = '';
  let open = false;

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
    begin(ids) {
      total = ids.length;
      for (const id of ids) waiting.set(sectionOf(id), (waiting.get(sectionOf(id)) ?? new Set()).add(id));
      progress();
    },
    started(id, title) {
      doing = `${id} ${title}`;
      progress();
    },
    settled(result) {
      const section = sectionOf(result.id);
      const left = waiting.get(section);
      if (left?.delete(result.id) === true) done += 1;
      results.set(section, [...(results.get(section) ?? []), result]);
      if (left?.size === 0 && !written.has(section)) {
        written.add(section);
        lines([sectionLine(section, results.get(section) ?? [], paint)]);
      }
      progress();
    },
    end(report) {
      const groups = [...bySection(report.requirements)];
      const late = groups
        .filter(([section]) => !written.has(section))
        .map(([section, all]) => sectionLine(section, all, paint));
      const told = groups.flatMap(([, all]) => all);
      const causes = sharedCauses(told);
      const of = (...wanted: string[]): string[] =>
        told
          .filter((result) => wanted.includes(result.verdict))
          .flatMap((result) => ['', ...failureLines(result, paint, causes.get(result.id))]);
      const blocked = blockedByReason(told).flatMap((group) => {
        const [first, ...others] = group.results;
        if (first === undefined) return [];
        return ['', ...(others.length > 0 ? sharedReasonLines(group, paint) : failureLines(first, paint))];
      });
      lines([
        ...late,
        ...of('fail'),
        ...of('error'),
        ...blocked,
        ...told.filter(({ verdict }) => verdict === 'waived').flatMap((result) => ['', ...waivedLines(result, paint)]),
        ...of('warn'),
        '',
        ...outcomeLines(report, paint),
      ]);
    },
  };
}
