import { closing } from '../loopback.test-kit.js';
import * as requirements from '../../specs/idempotency.spec.js';
import type { RequirementResult, Observation } from '../requirement/types.js';
import { execute } from '../run/execute.js';
import { openRun } from '../run/open-run.js';
import { readTarget } from '../settings/read-target.js';

/** One run of this section over a service. */
export interface SectionRun {
  readonly results: ReadonlyMap<string, RequirementResult>;
  readonly observations: readonly Observation[];
  readonly requests: number;
}

/** Runs the checks of this section, or some of them, over the service at `baseUrl`. */
export async function certifyIdempotency(
  baseUrl: string,
  options: {
    readonly seed: number;
    readonly only?: readonly string[];
    readonly depth?: 'gate' | 'certify';
    readonly path?: string;
    readonly otherTenant?: boolean;
  },
): Promise<SectionRun> {
  const target = readTarget({
    BASE_URL: baseUrl,
    API_KEY: 'key-of-tenant-a',
    ...(options.otherTenant === false ? {} : { OTHER_API_KEY: 'key-of-tenant-b' }),
  });
  let requests = 0;
  await using run = closing(
    openRun(target, {
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
  for (const check of Object.values(requirements)) {
    if (options.only === undefined || options.only.includes(check.id)) results.set(check.id, await execute(check, run));
  }
  return { results, observations: run.observations, requests };
}
