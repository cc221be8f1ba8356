import { closing } from '../loopback.test-kit.js';
import * as idempotency from '../../specs/idempotency.spec.js';
import * as leads from '../../specs/leads.spec.js';
import type { RequirementResult, Observation } from '../requirement/types.js';
import { startReference, type ReferenceOptions } from '../reference/start-reference.js';
import { execute } from '../run/execute.js';
import { openRun } from '../run/open-run.js';
import { readTarget } from '../settings/read-target.js';

/** One run of some requirements over a service. */
export interface SectionRun {
  readonly results: ReadonlyMap<string, RequirementResult>;
  readonly observations: readonly Observation[];
  readonly requests: number;
}

interface SectionOptions {
  readonly seed: number;
  /** Requirements on keys or leads; all on keys unless given. */
  readonly only?: readonly string[];
  readonly path?: string;
  readonly depth?: 'certify';
}

/** Runs the checks over the reference service; `settings` are in place of its own. */
export async function certifyReference(
  reference: ReferenceOptions,
  options: SectionOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<SectionRun> {
  await using service = closing(await startReference(reference));
  let requests = 0;
  await using run = closing(
    openRun(readTarget({ ...service.settings, ...settings }), {
      patience: 0.1,
      seed: options.seed,
      depth: options.depth ?? 'gate',
      record: () => {
        requests += 1;
      },
      ...(options.path === undefined ? {} : { path: options.path }),
    }),
  );
  const results = new Map<string, RequirementResult>();
  for (const check of Object.values({ ...leads, ...idempotency }))
    if (options.only?.includes(check.id) ?? check.section === 'IDEM') results.set(check.id, await execute(check, run));
  return { results, observations: run.observations, requests };
}
