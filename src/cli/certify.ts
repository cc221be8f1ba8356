import { join } from 'node:path';
import { applyWaivers } from '../certification/apply-waivers.js';
import { userAgentWith } from '../certification/nonce.js';
import { readWaivers } from '../certification/read-waivers.js';
import type { Waiver } from '../certification/read-waivers.js';
import { openTarget } from '../embedded/open-target.js';
import { writePlaywrightReport } from '../report/playwright/write-playwright-report.js';
import { githubAnnotations } from '../report/annotations.js';
import { consoleReporter } from '../report/console-reporter.js';
import { openEvidence } from '../report/evidence-writer.js';
import type { Evidence } from '../report/evidence-writer.js';
import { exitStatus } from '../report/outcome.js';
import { writeReports, writeWhole } from '../report/write-reports.js';
import { loadChecks } from '../requirement/load-checks.js';
import type { CollectedCheck } from '../requirement/collector.js';
import { select } from '../requirement/select.js';
import type { Report, RequirementResult } from '../requirement/types.js';
import { catalogueDigest, composeReport, documentDigest } from '../run/compose-report.js';
import type { ReportParts } from '../run/compose-report.js';
import { readPinned } from '../run/load-contract.js';
import { openRun } from '../run/open-run.js';
import { inOrder, runChecks } from '../run/run-checks.js';
import { publicSettings, writeRunFile } from '../run/run-file.js';
import type { RunFile } from '../run/run-file.js';
import type { Depth, Run } from '../run/run.js';
import { SettingsError } from '../target/settings-error.js';
import { drivenIn } from '../traffic/limit-verdicts.js';
import { writeLoadPages } from '../traffic/pages/write-load-pages.js';
import { version } from '../version.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { bundleWish, finishBundle, nonceOption, refuseEarly } from './bundle-wish.js';
import { showArrivals } from './show-arrivals.js';
import { numberOption, openOut } from './options.js';
import { readSettings } from './read-settings.js';

/** `certify` and `gate`: judges the target and writes the reports; the process's exit status. */
export async function certify(parsed: Arguments, depth: Depth): Promise<number> {
  const [operand] = parsed.operands;
  if (operand !== undefined && parsed.command !== 'rerun') {
    throw new SettingsError(
      `"${operand}" is not understood here: expected flags only; to judge one requirement write --only ${operand}.`,
    );
  }
  const catalogue = await loadChecks();
  const selected = select(catalogue, textOption(parsed, 'only'));
  const waivers =
    depth === 'gate'
      ? readWaivers(
          textOption(parsed, 'waivers'),
          catalogue.map((entry) => entry.id),
        )
      : [];
  const wish = bundleWish(parsed);
  const nonce = nonceOption(parsed);
  const requestBudget = numberOption(parsed, 'requests', 1_000_000) ?? null;
  const waitSeconds = numberOption(parsed, 'wait', 86_400) ?? 0;
  const opened = await openTarget(readSettings(parsed.settings));
  try {
    await readPinned(opened.target);
    const known = {
      depth,
      requestBudget,
      only: textOption(parsed, 'only'),
      embedded: opened.target.embedded,
      settings: publicSettings(opened.settings),
    };
    refuseEarly(wish, known);
    const out = openOut(parsed);
    const evidence = openEvidence(join(out, 'evidence'));
    let requests = 0;
    const run = openRun(opened.target, {
      depth,
      path: textOption(parsed, 'path'),
      userAgent: userAgentWith(nonce),
      ...(requestBudget === null ? {} : { requestBudget }),
      hooks: {
        register: opened.register,
        waitSeconds,
        ...(waitSeconds > 0 && parsed.options['quiet'] !== true ? { onArrival: showArrivals() } : {}),
      },
      keep: (name, encoded) =>
        writeWhole(join(out, 'evidence', `recorded-${name.replace(/[^a-z0-9]+/gi, '-')}.json`), encoded),
      record: (exchange) => {
        requests += 1;
        evidence.record(exchange);
      },
    });
    const report = await judge({ parsed, run, evidence, out, catalogue, selected, known, requests: () => requests });
    const status = conclude(parsed, report, out, waivers);
    // The gate is asked for in seconds; Playwright takes some of its own.
    if (depth === 'certify' && !(await writePlaywrightReport(out)))
      process.stderr.write("Playwright's own report could not be written; every other report is complete.\n");
    await finishBundle(wish, { out, nonce, settings: opened.settings });
    return status;
  } finally {
    await opened.close();
  }
}

interface Judging {
  readonly parsed: Arguments;
  readonly run: Run;
  readonly evidence: Evidence;
  readonly out: string;
  readonly catalogue: readonly CollectedCheck[];
  readonly selected: readonly CollectedCheck[];
  readonly known: Pick<RunFile, 'depth' | 'requestBudget' | 'only' | 'embedded' | 'settings'>;
  readonly requests: () => number;
}

/** Runs the checks and writes what came of them. A report that says "incomplete" stands from the start, so that a killed run leaves no other. */
async function judge({ parsed, run, evidence, out, catalogue, selected, known, requests }: Judging): Promise<Report> {
  const started = new Date();
  const results: RequirementResult[] = [];
  const parts = (document: string | null): ReportParts => ({
    baseUrl: run.redactor.text(run.target.baseUrl),
    embedded: run.target.embedded,
    document,
    seed: run.seed,
    observations: run.observations,
    catalogue,
    selected,
    results,
    started,
    requests: requests(),
  });
  const runFile: RunFile = {
    format: 'dealership-conformance-run/1',
    suite: { version, catalogue: catalogueDigest(catalogue) },
    started: started.toISOString(),
    seed: run.seed,
    nonce: run.nonce,
    ...known,
    order: inOrder(selected).map((entry) => entry.id),
    ended: false,
  };
  const folder = join(out, 'evidence');
  writeRunFile(folder, runFile);
  await writeReports(out, composeReport({ ...parts(null), why: 'the run has not ended' }));
  const quiet = parsed.options['quiet'] === true;
  const reporter = consoleReporter({ stream: quiet ? { write: () => true } : process.stdout });
  if (!quiet)
    process.stdout.write(
      `${run.target.embedded ? 'The embedded reference service' : run.redactor.text(run.target.baseUrl)}, ${selected.length} requirements, seed ${run.seed}\n\n`,
    );
  reporter.begin(selected.map((entry) => entry.id));
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await runChecks(selected, run, {
      signal: stop.signal,
      starting: (check) => reporter.started(check.id, check.title),
      done: (result) => {
        results.push(result);
        reporter.settled(result);
      },
    });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  await drawLoadPages(run, out);
  const cut = stop.signal.aborted;
  const document = cut ? null : await documentDigest(run);
  await run.close();
  await evidence.close();
  const report = composeReport({ ...parts(document), ...(cut ? { why: 'the run was interrupted' } : {}) });
  writeRunFile(folder, { ...runFile, ended: !cut });
  await writeReports(out, report);
  reporter.end(report);
  return report;
}

/** A page for each plan that was driven; none where nothing was. */
async function drawLoadPages(run: Run, out: string): Promise<void> {
  const driven = await drivenIn(run);
  if (driven === null) return;
  const redact = (text: string): string => run.redactor.text(text);
  writeLoadPages(out, driven, {
    target: redact(run.target.baseUrl),
    model: run.target.limitModel,
    verdicts: driven.verdicts,
    redact,
  });
}

/** Says where the report is, and what live, expired and stale waivers make of it. */
function conclude(parsed: Arguments, report: Report, out: string, waivers: readonly Waiver[]): number {
  const page = join(out, 'conformance.html');
  const { fail, blocked, error } = report.counts;
  process.stdout.write(
    parsed.options['quiet'] === true
      ? `${report.outcome}: ${fail} failed, ${blocked + error} not judged; see ${page}\n`
      : `\nReport: ${page}\n`,
  );
  for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
  if (waivers.length === 0) return exitStatus(report);
  const waived = applyWaivers(report, waivers, new Date().toISOString().slice(0, 10));
  for (const sentence of waived.sentences) process.stdout.write(`Waiver ${sentence}\n`);
  return waived.exitStatus;
}
