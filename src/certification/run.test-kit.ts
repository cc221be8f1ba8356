import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { serveBodies, type Loopback } from '../loopback.test-kit.js';
import { openEvidence } from '../reports/evidence/evidence-writer.js';
import { writeRecorded, writeReports } from '../reports/write-reports.js';
import { defineRequirement, type CheckBody, type Requirement } from '../requirement/requirement.js';
import type { Level, Report } from '../requirement/types.js';
import { catalogueDigest, composeReport, servedDocument } from '../run/compose-report.js';
import { openRun } from '../run/open-run.js';
import type { Depth, WebhookSetup } from '../run/run.js';
import { runChecks } from '../run/run-checks.js';
import { secretShape, writeRunFile, type RunFile } from '../run/run-file.js';
import { readTarget } from '../settings/read-target.js';
import { secretSettings, type RawSettings, type SettingName } from '../settings/setting-table.js';
import { version } from '../version.js';

/** Answers one request of a test. */
export type Answerer = (
  request: IncomingMessage,
  body: string,
  reply: (status: number, value: unknown, headers?: Record<string, string>) => ServerResponse,
  response: ServerResponse,
) => unknown;

/** A service on a free loopback port. */
export function startService(answer: Answerer): Promise<Loopback> {
  return serveBodies((request, body, response) => {
    const reply = (status: number, value: unknown, headers: Record<string, string> = {}): ServerResponse =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    answer(request, body.toString(), reply, response);
  });
}

/** A check as the suite collects it. */
export function sampleCheck(id: `${string}-${number}`, level: Level, body: CheckBody): Requirement {
  return defineRequirement({ id, level, source: '§0', title: `what ${id} demands`, body });
}

/** Runs checks as `certify` does: evidence, `run.json` and the reports end up in `out`. */
export async function runInto(
  out: string,
  settings: RawSettings,
  checks: readonly Requirement[],
  more: {
    readonly nonce?: string;
    readonly embedded?: boolean;
    readonly seed?: number;
    readonly depth?: Depth;
    readonly pacingBudgetMs?: number;
    readonly outageMs?: number;
    readonly register?: WebhookSetup['register'];
  } = {},
): Promise<Report> {
  const evidenceDir = join(out, 'evidence');
  mkdirSync(evidenceDir, { recursive: true });
  const evidence = openEvidence(evidenceDir);
  const target = readTarget(settings, more.embedded ?? false);
  const started = new Date();
  const run = openRun(target, {
    seed: more.seed ?? 7,
    depth: more.depth ?? 'certify',
    ...(more.embedded ? { hooks: { register: more.register ?? (() => undefined), waitSeconds: 0 } } : {}),
    ...(more.pacingBudgetMs === undefined ? {} : { pacingBudgetMs: more.pacingBudgetMs }),
    ...(more.outageMs === undefined ? {} : { outageMs: more.outageMs }),
    keep: (name, encoded) => writeRecorded(evidenceDir, name, encoded),
    record: (exchange) => {
      const headers = exchange.request.headers.map(
        ([name, value]) =>
          [name, name === 'user-agent' && more.nonce ? `${value} (nonce=${more.nonce})` : value] as const,
      );
      evidence.record({ ...exchange, request: { ...exchange.request, headers } });
    },
  });
  const shown = Object.entries(settings).map(([name, value]) => [
    name,
    secretSettings.includes(name as SettingName) ? secretShape(name as SettingName, settings) : value,
  ]);
  const file: RunFile = {
    format: 'dealership-conformance-run/1',
    suite: { version, catalogue: catalogueDigest(checks) },
    started: started.toISOString(),
    seed: run.seed,
    nonce: run.nonce,
    depth: run.depth,
    requestBudget: null,
    only: null,
    embedded: target.embedded,
    settings: Object.fromEntries(shown) as Record<string, string>,
    order: checks.map((check) => check.id),
    ended: false,
  };
  writeRunFile(evidenceDir, file);
  const results = await runChecks({ stages: [checks] }, run);
  const { document } = await servedDocument(run);
  await evidence.close();
  await run.close();
  writeRunFile(evidenceDir, { ...file, ended: true });
  const report = composeReport({
    baseUrl: target.baseUrl,
    embedded: target.embedded,
    document,
    traceId: run.trace.traceId,
    seed: run.seed,
    observations: run.observations,
    catalogue: checks,
    selected: checks,
    results,
    started,
    requests: run.activity.requests,
  });
  await writeReports(out, report);
  return report;
}
