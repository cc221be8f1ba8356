import { join } from 'node:path';
import {
  applyWaivers,
  type Baseline,
  dropEarlier,
  putBack,
  sinceBaseline,
  waivedResult,
  type Waiver,
} from './certification/index.js';
import {
  consoleReporter,
  isJudged,
  openEvidence,
  type Reporter,
  type ReportFile,
  type SinceBaseline,
  writeRecorded,
  writeReports,
} from './reports/index.js';
import type { OpenTarget } from './embedded/index.js';
import type { Catalogue, Report, Requirement, RequirementResult } from './requirement/index.js';
import {
  assertAccess,
  catalogueDigest,
  composeReport,
  servedDocument,
  planOf,
  publicSettings,
  type Run,
  runChecks,
  type RunFile,
  type RunOptions,
  usualConcurrency,
  whenCalledOff,
  withRun,
  writeRunFile,
} from './run/index.js';
import { drivenIn, writeLoadPages } from './traffic/index.js';
import { version } from './version.js';

/** The requests of one check at the same time where several checks are judged at once: so the longest ones do not take longest alone. */
const parallelRequests = 4;

/** A built-in reporter: files in the run's folder, or lines on standard output. */
export type ReporterName = ReportFile | 'console';

/** The requirements to judge, and how. */
export interface JudgeOptions {
  readonly catalogue: Catalogue;
  readonly selected: readonly Requirement[];
  /** Requirements that must be judged; one that is not is blocked. */
  readonly required?: readonly Requirement[];
  readonly waivers?: readonly Waiver[];
  readonly reporters?: readonly (Reporter | ReporterName)[];
  /** The folder for evidence and report files, or null for neither. */
  readonly out?: string | null;
  /** Ends the run as an interrupt does. */
  readonly signal?: AbortSignal;
  /** Judge whatever the target answers, also where it accepts no key or is no such service at all. */
  readonly anyTarget?: boolean;
  /** The selection of requirements, for the file of the run. */
  readonly only?: string | null;
  /** An earlier report, with its name; the summary says what differs. */
  readonly baseline?: Baseline | null;
  /** How many checks run at the same time; unless given, several in a gate whose target answers slowly, else one. */
  readonly concurrency?: number;
  /** No requirement is begun after so many seconds: what is left is blocked. */
  readonly maxSeconds?: number;
  readonly run?: Omit<RunOptions, 'record' | 'keep'>;
}

/**
 * One run, from the first look at the target to its report. Where there is a folder, a report with outcome "incomplete" is written at the
 * start, so that a killed run leaves no other. Throws SettingsError where nothing answers at BASE_URL or no key is accepted.
 */
export async function judge(
  opened: Omit<OpenTarget, 'close'>,
  { catalogue, selected, required = [], waivers = [], reporters = [], out = null, ...options }: JudgeOptions,
): Promise<{ readonly report: Report; readonly run: Run }> {
  const started = new Date();
  const startedMs = performance.now();
  const today = started.toISOString().slice(0, 10);
  const folder = out === null ? null : join(out, 'evidence');
  const evidence = folder === null ? null : openEvidence(folder);
  const heard = reporters.map((one): Reporter =>
    typeof one === 'object' ? one : one === 'console' ? consoleReporter(process.stdout) : {},
  );
  const files = reporters.flatMap((one) => (typeof one === 'object' || one === 'console' ? [] : [one]));
  const write = async (report: Report, since: SinceBaseline | null = null): Promise<void> => {
    if (out !== null) await writeReports(out, report, { files, since });
  };
  const results: RequirementResult[] = [];
  const placeOf = (asker: string): number => selected.findIndex(({ id }) => id === asker);
  const compose = (run: Run, document: Pick<Report['target'], 'document' | 'version'>, why: string | null): Report =>
    composeReport({
      baseUrl: run.redactor.text(run.target.baseUrl),
      embedded: run.target.embedded,
      ...document,
      traceId: run.trace.traceId,
      set: run.set,
      seed: run.seed,
      observations: run.observations.toSorted((a, b) => placeOf(a.id) - placeOf(b.id)),
      catalogue: catalogue.requirements,
      sections: catalogue.sections,
      selected,
      required,
      results,
      started,
      requests: run.activity.requests,
      ...(why === null ? {} : { why }),
    });
  const { maxSeconds = Infinity } = options;
  const isShort = maxSeconds < Infinity;
  const judgeIn = async (run: Run): Promise<{ readonly report: Report; readonly run: Run }> => {
    // A gate has one order, however many are judged at once.
    const isPlanned = run.depth === 'gate' || (options.concurrency ?? 1) > 1 || isShort;
    const order = isPlanned ? planOf(selected, catalogue.sections, isShort) : { stages: [selected] };
    const runFile: RunFile = {
      format: 'dealership-conformance-run/1',
      suite: { version, catalogue: catalogueDigest(catalogue.requirements) },
      started: started.toISOString(),
      seed: run.seed,
      nonce: run.nonce,
      depth: run.depth,
      set: run.set,
      ...(catalogue.packs === undefined || catalogue.packs.length === 0 ? {} : { packs: catalogue.packs }),
      requestBudget: run.requestBudget,
      only: options.only ?? null,
      embedded: run.target.embedded,
      settings: publicSettings(opened.settings),
      order: order.stages.flat().map(({ id }) => id),
      ended: false,
    };
    if (folder !== null) writeRunFile(folder, runFile);
    await write(compose(run, { document: null }, 'the run has not ended'));
    try {
      if (options.anyTarget !== true) await Promise.race([assertAccess(run), whenCalledOff(run)]);
    } catch (error) {
      await evidence?.close();
      if (out !== null) putBack(out);
      throw error;
    }
    const { baseUrl, embedded } = run.target;
    const isBrief =
      !run.calledOff.aborted && (await Promise.race([isWrongStart(run, selected), whenCalledOff(run)])) === true;
    const plan = { baseUrl: run.redactor.text(baseUrl), embedded, seed: run.seed, sections: catalogue.sections };
    for (const one of heard) await one.begin?.({ ...plan, requirements: selected, isBrief });
    const concurrency = options.concurrency ?? (await usualConcurrency(run));
    if (concurrency > 1) run.parallel = parallelRequests;
    await runChecks({ ...order, concurrency, untilMs: startedMs + maxSeconds * 1000 }, run, {
      starting: (requirement) => heard.forEach((one) => one.starting?.(requirement)),
      done: (result) => {
        results.push(result);
        for (const one of heard) one.result?.(waivedResult(result, waivers, today));
      },
    });
    if (out !== null) drawLoadPages(run, out);
    const cut = run.calledOff.aborted;
    const document = cut ? { document: null } : await servedDocument(run);
    await evidence?.close();
    const why = cut
      ? 'the run was interrupted'
      : isShort
        ? `it was not reached within the ${maxSeconds} s of --max-time`
        : null;
    const report = applyWaivers(compose(run, document, why), waivers, today);
    // A run that judged nothing does not replace a report that says something.
    const isWhole = !cut && results.some(isJudged);
    if (folder !== null) writeRunFile(folder, { ...runFile, ended: isWhole });
    const since = options.baseline == null ? null : sinceBaseline(options.baseline, report);
    await write(report, since);
    if (out !== null && isWhole) dropEarlier(out);
    for (const one of heard) await one.end?.(report, since);
    return { report, run };
  };
  const runOptions: RunOptions = {
    hooks: { register: opened.register, waitSeconds: 0 },
    ...options.run,
    signal: options.signal,
    ...(evidence === null ? {} : { record: (exchange) => evidence.record(exchange) }),
    ...(folder === null ? {} : { keep: (name: string, encoded: string) => writeRecorded(folder, name, encoded) }),
  };
  return withRun(opened.target, runOptions, judgeIn).finally(() => evidence?.close());
}

/** Whether most cannot be judged, or the document is missing or empty: the report then needs only a few lines. */
async function isWrongStart(run: Run, selected: readonly Requirement[]): Promise<boolean> {
  if ((await run.targetState()).unreachable !== null) return true;
  const unkeyed = selected.filter(({ needs }) => needs.includes('API_KEY') && run.target.keys.API_KEY === undefined);
  if (unkeyed.length * 2 > selected.length) return true;
  if (!selected.some(({ section }) => section === 'DOC')) return false;
  // The requirements that need the document report why it could not be read.
  const loaded = await run.contract().catch(() => null);
  if (loaded === null) return false;
  const { contract, pinned } = loaded;
  return pinned === null && contract.operations.length === 0;
}

/** A page for each plan that was driven; none where nothing was. */
function drawLoadPages(run: Run, out: string): void {
  const driven = drivenIn(run);
  if (driven === null) return;
  const redact = (text: string): string => run.redactor.text(text);
  writeLoadPages(out, driven.verdicts, {
    target: redact(run.target.baseUrl),
    model: run.target.limitModel,
    redact,
    hasReport: true,
  });
}
