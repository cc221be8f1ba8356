import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { digestOf } from '../../certification/bundle/manifest.js';
import { parseRunFile } from '../../certification/bundle/read-run-file.js';
import { differencesOf } from '../../certification/compare/differences.js';
import { parseReport } from '../../certification/read-report.js';
import { regrade } from '../../certification/verify/regrade.js';
import { unfitToGrade } from '../../certification/verify/verify-bundle.js';
import { loadPacks } from '../../packs.js';
import { outcomeOf } from '../../reports/outcome.js';
import { visible } from '../../reports/visible.js';
import type { RequirementResult } from '../../requirement/types.js';
import { SettingsError } from '../../settings/settings-error.js';
import { drivenIn } from '../../traffic/limit-verdicts.js';
import { planSummary, type PlanSummary } from '../../traffic/plan-summary.js';
import { decodePart } from '../../traffic/parts/part-trace.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { isSoakRun } from '../../traffic/soak/history/is-soak-run.js';
import { judgedAgain } from '../../traffic/soak/judge.js';
import { evidenceOf, loadReportNames, type LoadReport, type LoadReportName } from './load-evidence.js';
import { reportOn } from './parts/load-judge.js';
import { nightOf } from './report-soak-run.js';
import { soakReport } from './soak-report.js';

/** What the evidence gives. */
interface Again {
  readonly results: readonly RequirementResult[];
  readonly plans?: readonly PlanSummary[];
}

/** One report held against its evidence. */
export interface LoadVerification {
  readonly report: LoadReport;
  /** What is missing, damaged, changed or said otherwise, in sentences. */
  readonly problems: readonly string[];
  /** Requirements and plans of which the evidence says the same. */
  readonly same: readonly string[];
  /** Whether an earlier version wrote it, which kept nothing to judge again. */
  readonly isOld: boolean;
}

const mostBytes = 2 ** 29;

/** The reports of loads in a folder, such as `reports/load`; throws SettingsError where there is none, or one cannot be read. */
export function readLoadReports(folder: string): Map<LoadReportName, LoadReport> {
  const names = loadReportNames.filter((name) => existsSync(join(folder, `${name}.json`)));
  if (names.length === 0)
    throw new SettingsError(`${folder} holds no report of a load: expected a folder such as reports/load.`);
  const read = (name: string): LoadReport => {
    const file = join(folder, `${name}.json`);
    return parseReport(readFileSync(file, 'utf8'), file);
  };
  return new Map(names.map((name) => [name, read(name)]));
}

/** The nights of a soak's evidence, the last one its own; null where it holds none. */
export function nightsIn(files: ReadonlyMap<string, Buffer>): SoakRun[] | null {
  try {
    const packed = files.get('nights.json.gz') ?? '';
    const nights: unknown = JSON.parse(gunzipSync(packed, { maxOutputLength: mostBytes }).toString('utf8'));
    return Array.isArray(nights) && nights.length > 0 && nights.every(isSoakRun) ? nights : null;
  } catch {
    return null;
  }
}

/** What differs between the evidence as it was kept and as it is. */
function changedFiles(files: ReadonlyMap<string, Buffer>, kept: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(kept), ...files.keys()])].flatMap((name) => {
    const bytes = files.get(name);
    const shown = visible(name).slice(0, 100);
    if (bytes === undefined) return [`${shown} is missing: expected the file that the load wrote`];
    if (kept[name] === undefined)
      return [`${shown} is not of this report: expected only the files that the load wrote`];
    return digestOf(bytes) === kept[name]
      ? []
      : [`${shown} was changed or damaged: its digest is not that in the report`];
  });
}

async function limitsAgain(folder: string, files: ReadonlyMap<string, Buffer>): Promise<Again> {
  const text = files.get('run.json')?.toString('utf8') ?? '';
  const named = new Map([...files].map(([name, bytes]) => [`evidence/${name}`, bytes]));
  const [unfit] = unfitToGrade(named, parseRunFile(text, 'run.json'));
  if (unfit !== undefined) throw new Error(`${unfit.where}: ${unfit.what}`);
  const { results, run } = await regrade({ evidenceDir: folder, checks: (await loadPacks()).requirements });
  return { results, plans: drivenIn(run)?.verdicts.map(planSummary) ?? [] };
}

async function partsAgain(files: ReadonlyMap<string, Buffer>, { judged }: LoadReport): Promise<Again> {
  const parts = [...files].map(([name, bytes]) => {
    const part = decodePart(name, () => bytes);
    if (part === null) throw new Error(`${name} is no trace`);
    return part;
  });
  const { report } = await reportOn(parts, judged ?? { model: 'auto', lateMs: 0 });
  return { results: report.requirements, plans: report.plans ?? [] };
}

function soakAgain(files: ReadonlyMap<string, Buffer>, { soak, target }: LoadReport): Again {
  const nights = nightsIn(files);
  const last = nights?.pop();
  if (nights === null || last === undefined) throw new Error('nights.json.gz holds no soaks');
  const run = { ...last, service: judgedAgain(last.service) };
  const night = { run, failOn: soak?.failOn ?? [], terminated: soak?.terminated ?? false, ...nightOf(run, nights) };
  return { results: soakReport(night, target.baseUrl).requirements };
}

function judgeAgain(loadFolder: string, name: LoadReportName, files: Map<string, Buffer>, report: LoadReport) {
  if (name === 'judge') return partsAgain(files, report);
  if (name === 'soak') return soakAgain(files, report);
  return limitsAgain(join(loadFolder, 'evidence', name), files);
}

function planText({ plan, requests, accepted, refused, ways, broken }: PlanSummary): string {
  return `${plan}: ${requests} requests, ${accepted} accepted, ${refused} refused, fits ${ways.join(', ') || 'no way to count'}${broken.length === 0 ? '' : `, breaks ${broken.join(', ')}`}`;
}

/** Where a report and its evidence differ, and where they agree. */
function heldAgainst(report: LoadReport, again: Again): Pick<LoadVerification, 'problems' | 'same'> {
  // What an interrupted run did not reach is blocked.
  const stated = report.requirements.filter(
    ({ id, verdict }) => verdict !== 'blocked' || again.results.some((one) => one.id === id),
  );
  const said = (report.plans ?? []).map((one) => JSON.stringify(one));
  const plans = (again.plans ?? []).filter((one) => !said.includes(JSON.stringify(one)));
  const verdicts = differencesOf(stated, again.results).filter(({ kind }) => kind === 'verdict');
  return {
    problems: [
      ...verdicts.map(({ id, stated: then, found }) => `${id}: the report says ${then}; the evidence gives ${found}`),
      ...plans.map((one) => `the evidence gives ${planText(one)}; the report says otherwise`),
      ...(said.length === (again.plans ?? []).length ? [] : ['the report names other plans than the evidence holds']),
      ...(outcomeOf(report.requirements) === report.outcome
        ? []
        : ['the outcome of the report is not that of its verdicts']),
    ],
    same: [
      ...(again.plans ?? []).filter((one) => !plans.includes(one)).map(planText),
      ...stated.filter(({ id }) => !verdicts.some((one) => one.id === id)).map(({ id, verdict }) => `${id} ${verdict}`),
    ],
  };
}

/** Judges the report of one load again from the evidence beside it; nothing is sent. */
async function verifyOne(loadFolder: string, name: LoadReportName, report: LoadReport): Promise<LoadVerification> {
  const { evidence } = report;
  if (evidence === undefined) return { report, problems: [], same: [], isOld: true };
  const isThere = existsSync(join(loadFolder, 'evidence', name));
  const files = isThere ? evidenceOf(loadFolder, name) : new Map<string, Buffer>();
  const problems = changedFiles(files, evidence);
  if (problems.length > 0) return { report, problems, same: [], isOld: false };
  try {
    return { report, isOld: false, ...heldAgainst(report, await judgeAgain(loadFolder, name, files, report)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { report, problems: [`the evidence cannot be judged: ${why}`], same: [], isOld: false };
  }
}

/** `verify reports/load`: judges every load report in a folder again; 0 the same, 1 changed or not borne out, 3 where nothing was kept. */
export async function verifyLoad(folder: string, asJson: boolean): Promise<number> {
  const found: (LoadVerification & { readonly name: string })[] = [];
  for (const [name, report] of readLoadReports(folder))
    found.push({ name, ...(await verifyOne(folder, name, report)) });
  const status = found.some(({ problems }) => problems.length > 0) ? 1 : found.some(({ isOld }) => isOld) ? 3 : 0;
  const lines = found.flatMap(({ name, report, problems, same, isOld }) => [
    `${name}.json: ${visible(report.target.baseUrl)}, judged ${visible(report.started)}, suite ${visible(report.suite.version)}`,
    ...(isOld
      ? ['  it keeps no evidence, so it cannot be judged again: expected a report of this version, of a new load']
      : []),
    ...same.map((one) => `  same     ${visible(one)}`),
    ...problems.map((one) => `  differs  ${visible(one).slice(0, 600)}`),
  ]);
  const end = { 0: 'Verified.', 1: 'Not verified.', 3: 'Not everything could be judged again.' }[status];
  process.stdout.write(
    asJson ? `${JSON.stringify({ reports: found, status }, null, 2)}\n` : `${[...lines, end].join('\n')}\n`,
  );
  return status;
}
