import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openTarget } from '../embedded/open-target.js';
import { githubAnnotations } from '../report/annotations.js';
import { consoleReporter } from '../report/console-reporter.js';
import { clearEvidence, openEvidence } from '../report/evidence-writer.js';
import { exitStatus } from '../report/outcome.js';
import { writeReports, writeWhole } from '../report/write-reports.js';
import { loadChecks } from '../requirement/load-checks.js';
import { select } from '../requirement/select.js';
import type { RequirementResult } from '../requirement/types.js';
import { catalogueDigest, composeReport, documentDigest } from '../run/compose-report.js';
import { openRun } from '../run/open-run.js';
import { readPinned } from '../run/load-contract.js';
import { inOrder, runChecks } from '../run/run-checks.js';
import { publicSettings, writeRunFile } from '../run/run-file.js';
import type { RunFile } from '../run/run-file.js';
import type { Depth } from '../run/run.js';
import { SettingsError } from '../target/settings-error.js';
import { version } from '../version.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { readSettings } from './read-settings.js';

/** A whole number from a flag, or undefined where it is not given; throws SettingsError. */
export function numberOption(parsed: Arguments, name: string, most: number): number | undefined {
  const text = textOption(parsed, name);
  if (text === null) return undefined;
  if (!/^\d+$/.test(text) || Number(text) > most) throw new SettingsError(`--${name} is "${text}": expected a whole number from 0 to ${most}.`);
  return Number(text);
}

/** The folder for output, made where it is missing; throws SettingsError where that cannot be done. */
export function openOut(parsed: Arguments): string {
  const out = textOption(parsed, 'out') ?? 'reports';
  try {
    mkdirSync(join(out, 'evidence'), { recursive: true });
    clearEvidence(join(out, 'evidence'));
  } catch (error) {
    throw new SettingsError(`--out names "${out}", which cannot be written to (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): expected a folder that can be made.`);
  }
  return out;
}

/** `certify` and `gate`: judges the target and writes the reports; the process's exit status. */
export async function certify(parsed: Arguments, depth: Depth): Promise<number> {
  if (parsed.operands.length > 0) throw new SettingsError(`"${parsed.operands[0] ?? ''}" is not understood here: expected flags only; to judge one requirement write --only ${parsed.operands[0] ?? 'ID'}.`);
  const catalogue = await loadChecks();
  const selected = select(catalogue, textOption(parsed, 'only'));
  const requests = numberOption(parsed, 'requests', 1_000_000);
  const waitSeconds = numberOption(parsed, 'wait', 86_400);
  const opened = await openTarget(readSettings(parsed.settings));
  try {
    await readPinned(opened.target);
    const out = openOut(parsed);
    const evidence = openEvidence(join(out, 'evidence'));
    const started = new Date();
    let sent = 0;
    const run = openRun(opened.target, {
      depth,
      path: textOption(parsed, 'path'),
      ...(requests === undefined ? {} : { requestBudget: requests }),
      ...(opened.register === null && waitSeconds === undefined ? {} : { hooks: { register: opened.register, waitSeconds: waitSeconds ?? 0 } }),
      keep: (name, encoded) => writeWhole(join(out, 'evidence', `recorded-${name.replace(/[^a-z0-9]+/gi, '-')}.json`), encoded),
      record: (exchange) => {
        sent += 1;
        evidence.record(exchange);
      },
    });
    const quiet = parsed.options['quiet'] === true;
    const reporter = consoleReporter({ stream: quiet ? { write: () => true } : process.stdout });
    if (!quiet) process.stdout.write(`${run.target.embedded ? 'The embedded reference service' : run.redactor.text(run.target.baseUrl)}, ${selected.length} requirements, seed ${run.seed}\n\n`);
    reporter.begin(selected.map((entry) => entry.id));
    const results: RequirementResult[] = [];
    const runFile: RunFile = {
      format: 'dealership-conformance-run/1',
      suite: { version, catalogue: catalogueDigest(catalogue) },
      started: started.toISOString(),
      seed: run.seed,
      nonce: run.nonce,
      depth,
      requestBudget: run.requestBudget,
      only: textOption(parsed, 'only'),
      embedded: opened.target.embedded,
      settings: publicSettings(opened.settings),
      order: inOrder(selected).map((entry) => entry.id),
      ended: false,
    };
    writeRunFile(join(out, 'evidence'), runFile);
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    process.once('SIGINT', interrupt);
    process.once('SIGTERM', interrupt);
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
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      await evidence.close();
    }
    const report = composeReport({
      baseUrl: run.redactor.text(run.target.baseUrl),
      embedded: run.target.embedded,
      document: stop.signal.aborted ? null : await documentDigest(run),
      seed: run.seed,
      observations: run.observations,
      catalogue,
      selected,
      results,
      started,
      requests: sent,
      ...(stop.signal.aborted ? { why: 'the run was interrupted' } : {}),
    });
    await run.close();
    writeRunFile(join(out, 'evidence'), { ...runFile, ended: !stop.signal.aborted });
    await writeReports(out, report);
    reporter.end(report);
    if (quiet) process.stdout.write(`${report.outcome}: ${report.counts.fail} failed, ${report.counts.blocked + report.counts.error} not judged; see ${join(out, 'conformance.html')}\n`);
    else process.stdout.write(`\nReport: ${join(out, 'conformance.html')}\n`);
    for (const line of githubAnnotations(report)) process.stdout.write(`${line}\n`);
    return exitStatus(report);
  } finally {
    await opened.close();
  }
}
