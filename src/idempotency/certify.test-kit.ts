import { closing } from '../loopback.test-kit.js';
import * as requirements from '../../specs/idempotency.spec.js';
import type { RequirementResult, Observation } from '../requirement/types.js';
import { startReference, type ReferenceOptions } from '../reference/start-reference.js';
import { execute } from '../run/execute.js';
import { openRun } from '../run/open-run.js';
import { readTarget } from '../settings/read-target.js';

/** One run of this section over a service. */
export interface SectionRun {
  readonly results: ReadonlyMap<string, RequirementResult>;
  readonly observations: readonly Observation[];
  readonly requests: number;
}

interface SectionOptions {
  readonly seed: number;
  readonly only?: readonly string[];
  readonly path?: string;
}

/** Runs the checks of this section, or some of them, over the service at `baseUrl`. */
export function certifyIdempotency(baseUrl: string, options: SectionOptions): Promise<SectionRun> {
  return certify({ BASE_URL: baseUrl, API_KEY: 'key-of-tenant-a', OTHER_API_KEY: 'key-of-tenant-b' }, options);
}

/** As `certifyIdempotency`, over the reference service; `settings` are in place of its own. */
export async function certifyReference(
  reference: ReferenceOptions,
  options: SectionOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<SectionRun> {
  await using service = closing(await startReference(reference));
  return await certify({ ...service.settings, ...settings }, options);
}

async function certify(settings: Readonly<Record<string, string>>, options: SectionOptions): Promise<SectionRun> {
  let requests = 0;
  await using run = closing(
    openRun(readTarget(settings), {
      patience: 0.1,
      seed: options.seed,
      depth: 'gate',
      record: () => {
        requests += 1;
      },
      ...(options.path === undefined ? {} : { path: options.path }),
    }),
  );
  const results = new Map<string, RequirementResult>();
  for (const check of Object.values(requirements)) {
    if (options.only === undefined || options.only.includes(check.id)) results.set(check.id, await execute(check, run));
  }
  return { results, observations: run.observations, requests };
}
