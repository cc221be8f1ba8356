import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareReports, isJudgedInNeither, type VerdictChange } from '../../certification/compare/compare.js';
import { visible } from '../../reports/visible.js';
import type { Report } from '../../requirement/types.js';
import { SettingsError } from '../../settings/settings-error.js';
import { latencyText } from '../../traffic/pages/tables.js';
import type { PlanSummary } from '../../traffic/plan-summary.js';
import { compareSoakRuns } from '../../traffic/soak/history/compare-soak-runs.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { evidenceOf, type LoadReport, type LoadReportName } from './load-evidence.js';
import { nightsIn, readLoadReports } from './verify-load.js';

/** What differs between two reports of the same load. */
interface LoadDifference {
  readonly name: LoadReportName;
  readonly changes: readonly VerdictChange[];
  /** What differs in figures, in sentences: neither worse nor better, as chance may explain it. */
  readonly figures: readonly string[];
  readonly worse: boolean;
}

const percent = (part: number, all: number): string => `${all === 0 ? 0 : Math.round((100 * part) / all)} %`;
const limitsText = ({ limits }: PlanSummary): string =>
  limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');

/** How one plan's limiter behaved, by the name of each figure. */
function figuresOf(one: PlanSummary): Map<string, string> {
  return new Map([
    ['limits', limitsText(one)],
    ['ways to count that fit', one.ways.join(', ') || 'none'],
    ...one.limits.map(({ windowSeconds }, at): [string, string] => [
      `most accepted within any ${windowSeconds} s`,
      String(one.most[at]),
    ]),
    ['refused', percent(one.refused, one.requests)],
    ['breaks', one.broken.join(', ') || 'nothing'],
  ]);
}

function planDifferences(a: LoadReport, b: LoadReport): string[] {
  const [before, after] = [a.plans ?? [], b.plans ?? []];
  return [...new Set([...before, ...after].map(({ plan }) => plan))].flatMap((plan) => {
    const [then, now] = [before, after].map((plans) => plans.find((one) => one.plan === plan));
    if (then === undefined || now === undefined) return [`${plan}: only in ${then === undefined ? 'B' : 'A'}`];
    const [was, is] = [figuresOf(then), figuresOf(now)];
    return [...new Set([...was.keys(), ...is.keys()])]
      .filter((name) => was.get(name) !== is.get(name))
      .map((name) => `${plan}: ${name}: ${was.get(name) ?? '–'} → ${is.get(name) ?? '–'}`);
  });
}

/** The thresholds of a soak by their text. How it compares with nights of its own history says nothing of another report. */
function thresholdsOf(report: Report): Report {
  const thresholds = report.requirements.filter(({ section }) => section === 'THRESHOLD');
  return { ...report, requirements: thresholds.map((one) => ({ ...one, id: one.title })) };
}

function nightsOf(folder: string): SoakRun[] | null {
  return existsSync(join(folder, 'evidence', 'soak')) ? nightsIn(evidenceOf(folder, 'soak')) : null;
}

/** B's soak held against A's, and the nights that A knew, by the comparison that every night has. */
function soakDifference(a: string, b: string): Pick<LoadDifference, 'figures' | 'worse'> {
  const [earlier, later] = [nightsOf(a), nightsOf(b)];
  const [was, is] = [earlier?.at(-1), later?.at(-1)];
  if (earlier === null || was === undefined || is === undefined)
    return { figures: ['the evidence of a soak is missing, so its latency is not compared'], worse: false };
  const { verdict, reason, moreErrors } = compareSoakRuns(is, earlier);
  const errors = ({ service: { total } }: SoakRun): string =>
    `${(total.due === 0 ? 0 : (100 * total.errors) / total.due).toFixed(3)} %`;
  const figure = (name: string, of: (run: SoakRun) => string): string => `${name}: ${of(was)} → ${of(is)}`;
  return {
    figures: [
      figure('p50', ({ service }) => latencyText(service.total.p50Ms)),
      figure('p95', ({ service }) => latencyText(service.total.p95Ms)),
      figure('p99', ({ service }) => latencyText(service.total.p99Ms)),
      figure('errors', errors),
      ...(was.conditions === is.conditions ? [] : [figure('conditions', ({ conditions }) => conditions)]),
      `latency: ${verdict}: ${reason}`,
      ...(moreErrors === null ? [] : [`more errors: ${moreErrors}`]),
    ],
    worse: verdict === 'slower' || moreErrors !== null,
  };
}

function difference(folders: readonly [string, string], name: LoadReportName, a: LoadReport, b: LoadReport) {
  const isSoak = name === 'soak';
  const [then, now] = isSoak ? [thresholdsOf(a), thresholdsOf(b)] : [a, b];
  const { changes, worse } = compareReports({ name: 'A', report: then }, { name: 'B', report: now });
  const seen = isSoak ? soakDifference(...folders) : { figures: planDifferences(a, b), worse: false };
  const told = changes.filter((one) => !isJudgedInNeither(one));
  return { name, changes: told, figures: seen.figures, worse: worse || seen.worse };
}

function linesOf({ name, changes, figures, worse }: LoadDifference): string[] {
  return [
    `${name}.json: ${worse ? 'B is worse' : changes.length === 0 ? 'no verdict differs' : 'B is not worse'}`,
    ...changes.map(
      (one) =>
        `  ${one.change.padEnd(7)} ${visible(one.id)}  ${one.from ?? ''} → ${one.to ?? ''}  ${visible(one.reason).slice(0, 200)}`,
    ),
    ...figures.map((one) => `  ${visible(one).slice(0, 400)}`),
  ];
}

/** `compare A B` of two folders of load reports: 1 where B is worse. Throws SettingsError where they have no report in common. */
export function compareLoads(a: string, b: string, asJson: boolean): number {
  const [before, after] = [readLoadReports(a), readLoadReports(b)];
  const only = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name}.json: only in A`);
  const also = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${name}.json: only in B`);
  const found = [...before].flatMap(([name, report]) => {
    const other = after.get(name);
    return other === undefined ? [] : [difference([a, b], name, report, other)];
  });
  if (found.length === 0)
    throw new SettingsError(
      `${a} and ${b} have no report of the same load: expected two folders such as reports/load.`,
    );
  const worse = found.some((one) => one.worse);
  const lines = [...found.flatMap(linesOf), ...only, ...also, worse ? 'B is worse than A.' : 'B is not worse than A.'];
  const json = { a, b, reports: found, worse };
  process.stdout.write(asJson ? `${JSON.stringify(json, null, 2)}\n` : `${lines.join('\n')}\n`);
  return worse ? 1 : 0;
}
