import type { IncomingMessage, ServerResponse } from 'node:http';
import { judge } from '../judge-target.js';
import { serveBodies, type Loopback } from '../loopback.test-kit.js';
import { allReports } from '../reports/write-reports.js';
import { defineRequirement, type CheckBody, type Requirement } from '../requirement/requirement.js';
import type { Level, Report } from '../requirement/types.js';
import type { RunOptions } from '../run/open-run.js';
import type { WebhookSetup } from '../run/run.js';
import { readTarget } from '../settings/read-target.js';
import type { RawSettings } from '../settings/setting-table.js';
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

/** Runs checks as `certify` does, whatever the target answers: evidence, `run.json` and the reports end up in `out`. */
export async function runInto(
  out: string,
  settings: RawSettings,
  checks: readonly Requirement[],
  more: Pick<RunOptions, 'seed' | 'depth' | 'pacingBudgetMs' | 'outageMs'> & {
    readonly nonce?: string;
    readonly embedded?: boolean;
    readonly register?: WebhookSetup['register'];
  } = {},
): Promise<Report> {
  const { nonce, embedded = false, register = embedded ? () => undefined : null, ...options } = more;
  const userAgent = `dealership-conformance/${version}${nonce === undefined ? '' : ` (nonce=${nonce})`}`;
  const { report } = await judge(
    { target: readTarget(settings, embedded), settings, register },
    {
      catalogue: { requirements: checks, sections: [] },
      selected: checks,
      reporters: allReports,
      out,
      anyTarget: true,
      concurrency: 1,
      run: { seed: 7, set: '2026-11', userAgent, ...options },
    },
  );
  return report;
}
