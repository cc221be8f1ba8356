import { loadChecks } from '../requirement/load-checks.js';
import type { RequirementResult } from '../requirement/types.js';
import { openRun } from '../run/open-run.js';
import { runChecks } from '../run/run-checks.js';
import type { Depth } from '../run/run.js';
import { readTarget } from '../target/read-target.js';
import type { RawSettings } from '../target/setting-table.js';

/** A running service, however it was made. */
export interface Service {
  readonly settings: RawSettings;
  readonly register: ((tenant: 'main' | 'other', url: string) => void) | null;
  close(): Promise<void>;
}

/** How a service is to be judged. */
export interface JudgeOptions {
  readonly seed: number;
  readonly depth: Depth;
  /** Sections to judge; all but LIMIT unless given. */
  readonly sections?: readonly string[];
  /** Requirements to judge, of those sections; all unless given. */
  readonly only?: readonly string[];
  readonly pacingBudgetMs?: number;
}

/** One service's verdicts. */
export interface Judged {
  readonly results: readonly RequirementResult[];
  readonly requests: number;
  readonly seconds: number;
}

/** Judges a service in this process, and closes it. */
export async function judgeService(service: Service, options: JudgeOptions): Promise<Judged> {
  const started = performance.now();
  const checks = (await loadChecks()).filter(
    (check) =>
      (options.sections ? options.sections.includes(check.section) : check.section !== 'LIMIT') &&
      options.only?.includes(check.id) !== false,
  );
  let requests = 0;
  const run = openRun(readTarget(service.settings, true), {
    seed: options.seed,
    depth: options.depth,
    hooks: { register: service.register, waitSeconds: 0 },
    pacingBudgetMs: options.pacingBudgetMs ?? 3000,
    record: () => (requests += 1),
  });
  try {
    const results = await runChecks(checks, run);
    return { results, requests, seconds: (performance.now() - started) / 1000 };
  } finally {
    await run.close();
    await service.close();
  }
}
