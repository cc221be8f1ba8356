import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeLine, painter, safe } from '../../../reports/console-format.js';
import { wantsColour } from '../../../reports/console-reporter.js';
import { exitStatus } from '../../../reports/outcome.js';
import { loadPacks } from '../../../packs.js';
import { composeReport } from '../../../run/compose-report.js';
import { openRun } from '../../../run/open-run.js';
import { runChecks } from '../../../run/run-checks.js';
import { readyTarget } from '../../../run/target-state.js';
import { orSettingsError } from '../../../settings/file-error.js';
import { readTarget } from '../../../settings/read-target.js';
import { SettingsError } from '../../../settings/settings-error.js';
import type { Target } from '../../../settings/target.js';
import { tallyOf } from '../../../traffic/limit-traces.js';
import { writeLoadPages } from '../../../traffic/pages/write-load-pages.js';
import { uncertaintyOf } from '../../../traffic/parts/clock-offset.js';
import { judgeParts, type PartsVerdict } from '../../../traffic/parts/judge-parts.js';
import { assertOneRun, offsetOf } from '../../../traffic/parts/merge-parts.js';
import { partSchedule, scheduleSeconds } from '../../../traffic/parts/part-schedule.js';
import { readK6Part } from '../../../traffic/parts/k6-part.js';
import { decodePart, encodePart, type PartTrace } from '../../../traffic/parts/part-trace.js';
import { planSummary } from '../../../traffic/plan-summary.js';
import { decodeSoakPart, type SoakPart } from '../../../traffic/soak/soak-parts.js';
import { textOption, type Arguments } from '../../arguments.js';
import { openOut } from '../../options.js';
import { readSettings } from '../../read-settings.js';
import { openLoadEvidence, type LoadReport } from '../load-evidence.js';
import { planLines, resultLine } from '../load-limits.js';
import { parseSeconds } from '../load-options.js';
import { judgeSoakParts } from './load-soak-part.js';

/** How late servers may learn of each other's requests, unless the command line says otherwise. */
const usualTolerance = '100ms';

/** Reads what one generator kept; throws SettingsError. */
function readPart(file: string): PartTrace | SoakPart {
  const bytes = (): Buffer =>
    orSettingsError(
      () => readFileSync(file),
      (code) => `"${file}" cannot be read (${code}): expected a trace that load --part wrote.`,
    );
  const part = decodePart(file, bytes) ?? decodeSoakPart(file, bytes());
  if (part === null)
    throw new SettingsError(`"${file}" is damaged, cut short or no trace: expected a file that load --part wrote.`);
  return part;
}

/** One after another, so that one file at a time is in memory. */
async function readEach(files: readonly string[]): Promise<PartTrace[]> {
  const parts: PartTrace[] = [];
  for (const file of files) parts.push(await readK6Part(file));
  return parts;
}

/** LIMIT-01 to LIMIT-03, judged by their own checks of what the generators saw. Nothing is sent. */
export async function reportOn(
  parts: readonly PartTrace[],
  { model, lateMs }: { readonly model: string; readonly lateMs: number },
): Promise<{ readonly target: Target; readonly verdict: PartsVerdict; readonly report: LoadReport }> {
  assertOneRun(parts);
  const { run: sent } = (parts[0] as PartTrace).header;
  const target = readTarget({ BASE_URL: sent.target, LIMIT_MODEL: model });
  const judged = { model: target.limitModel, lateMs };
  const verdict = judgeParts(parts, judged);
  const generators = parts.map(({ header: { part, generator: name, requests, clock } }) => ({
    part,
    name,
    requests,
    clock,
  }));
  const { requirements: catalogue, sections } = await loadPacks();
  const selected = catalogue.filter(({ id }) => ['LIMIT-01', 'LIMIT-02', 'LIMIT-03'].includes(id));
  const run = openRun(target, {
    seed: 1,
    depth: 'certify',
    invocation: { command: () => ['load', 'judge', ...parts.map(({ file }) => file)], settings: {} },
  });
  try {
    const found = { plans: [verdict.trace], leftOut: [], verdicts: [verdict] };
    await run.once('recorded target state', () => Promise.resolve(readyTarget));
    // Acceptances and refusals of the same request tell requests apart.
    await run.once('control', () => Promise.resolve(null));
    await run.once('limit verdicts', () => Promise.resolve(found));
    const results = await runChecks({ stages: [selected] }, run);
    const { sent: requests } = tallyOf(verdict.trace);
    const { baseUrl } = target;
    const about = { baseUrl, embedded: false, document: null, seed: run.seed, observations: run.observations };
    const started = new Date(sent.startMs);
    const seconds = Math.ceil(scheduleSeconds(partSchedule(sent.limits, sent.parts)));
    const report = composeReport({ ...about, catalogue, sections, selected, results, started, requests });
    return { target, verdict, report: { ...report, seconds, plans: [planSummary(verdict)], judged, generators } };
  } finally {
    await run.close();
  }
}

/** A line for each generator. */
function generatorLines(parts: readonly PartTrace[]): string[] {
  return [...parts]
    .sort((a, b) => a.header.part - b.header.part)
    .map((one) => {
      const { header } = one;
      const offset = offsetOf(one);
      const middle = (offset.leastMs + offset.mostMs) / 2;
      return `part ${header.part} of ${header.run.parts}, ${safe(header.generator, 80)}: ${header.requests.toLocaleString('en')} requests; its clock is ${Math.abs(middle).toFixed(1)} ms ${middle > 0 ? 'behind' : 'ahead'}, known to ${uncertaintyOf(offset).toFixed(1)} ms`;
    });
}

/** `load judge TRACE…` or `load judge --k6 FILE…`: one verdict on what several generators sent; the exit status. Throws SettingsError. */
export async function loadJudge(parsed: Arguments, operands: readonly string[]): Promise<number> {
  const k6 = textOption(parsed, 'k6');
  const read = k6 === null ? operands.map(readPart) : await readEach([k6, ...operands]);
  const soaks = read.filter((one) => 'service' in one);
  const parts = read.filter((one): one is PartTrace => !('service' in one));
  if (soaks[0] !== undefined && parts[0] !== undefined)
    throw new SettingsError(
      `${soaks[0].file} is of a soak, and ${parts[0].file} is not: expected the parts of one run.`,
    );
  if (soaks.length > 0) return judgeSoakParts(parsed, soaks);
  const lateMs = 1000 * parseSeconds('tolerance', textOption(parsed, 'tolerance') ?? usualTolerance);
  const { LIMIT_MODEL } = readSettings(parsed.settings);
  const { target, verdict, report } = await reportOn(parts, { model: LIMIT_MODEL ?? 'auto', lateMs });
  const out = openOut(parsed, 'load');
  const kept = openLoadEvidence(out, 'judge');
  for (const part of parts) {
    const copy = join(kept.folder, `part-${part.header.part}.gz`);
    // What k6 wrote is kept as a part of this suite's own.
    if (k6 === null) copyFileSync(part.file, copy);
    else writeFileSync(copy, encodePart(part));
  }
  const file = kept.keep(report);
  const names = [...parts].sort((a, b) => a.header.part - b.header.part).map(({ header }) => header.generator);
  const pages = writeLoadPages(out, [verdict], {
    target: report.target.baseUrl,
    model: target.limitModel,
    generators: { names, ofRecord: verdict.generators },
  });
  const paint = painter(wantsColour(process.stdout));
  const quiet = parsed.options['quiet'] === true;
  const lines = [
    ...(quiet ? [] : [...generatorLines(parts), ...planLines(verdict, target.limits), '']),
    ...report.requirements.filter((one) => !quiet || one.verdict !== 'pass').map((one) => resultLine(one, paint)),
    outcomeLine(report, paint, true),
    ...(quiet ? [] : ['', file, ...pages]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitStatus(report);
}
