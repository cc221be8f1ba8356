import { seededRandom } from '../limiter/test-kit.js';
import type { TraceRecord } from '../limiter/trace.js';
import { refusalStatus } from '../reference/admission.js';
import { readBehaviour } from '../reference/behaviour.js';
import type { Behaviour } from '../reference/behaviour.js';
import { limitHeaders } from '../reference/limit-headers.js';
import { Limits } from '../reference/limits.js';
import type { Ruling } from '../reference/limits.js';
import { generousLimits } from '../reference/settings.js';
import { loadChecks } from '../requirement/load-checks.js';
import type { RequirementResult } from '../requirement/types.js';
import { openRun } from '../run/open-run.js';
import { runChecks } from '../run/run-checks.js';
import { readTarget } from '../target/read-target.js';
import type { RawSettings } from '../target/setting-table.js';
import type { LimitModel } from '../target/target.js';
import type { WantingMore } from '../traffic/course.js';
import { judgePlan, wantingMore } from '../traffic/limit-verdicts.js';
import type { LimitVerdicts } from '../traffic/limit-verdicts.js';
import { simulateDrive } from '../traffic/simulated-drive.test-kit.js';
import { limitHeaders as readLimitHeaders } from '../traffic/trace-record.js';
import { scaledLimits } from './reference-service.js';

const plans = [
  ['independent', 'API_KEY_INDEPENDENT'],
  ['franchise', 'API_KEY_FRANCHISE'],
  ['demo', null],
  ['sandbox', null],
] as const;

/** The answer of the reference service's limiter to one request, as a client records it. */
function answer(behaviour: Behaviour, ruling: Ruling): Partial<TraceRecord> {
  const headers = readLimitHeaders(Object.entries(limitHeaders(ruling, behaviour)).flat());
  if (ruling.allowed) return headers;
  const status = refusalStatus(behaviour);
  return { ...headers, status, outcome: status === 429 ? 'refused' : 'other', hasEnvelope: true };
}

/**
 * Sends every plan's scenarios to the limiter of the reference service in virtual time, and judges them. Plans are independent of each
 * other here: a fault that counts several of them together shows in real time only.
 */
export function driveInVirtualTime(options: {
  readonly faults: readonly string[];
  readonly variant: Readonly<Record<string, string>>;
  readonly model: LimitModel;
  /** Lengths of the long and of the short window. */
  readonly windowsSeconds: readonly [long: number, short: number];
  readonly seed: number;
}): LimitVerdicts {
  const { faults, variant, model, windowsSeconds, seed } = options;
  const behaviour = readBehaviour(faults, variant, seed);
  const sold = scaledLimits(...windowsSeconds);
  const limits = new Limits(behaviour, { ...sold, functional: generousLimits, enterprise: generousLimits });
  const further: WantingMore = (trace) => wantingMore(judgePlan(trace, model));
  const verdicts = plans.map(([plan, keyName]) => {
    const random = seededRandom(seed);
    let latest: Ruling | null = null;
    const numbers = sold[plan].map(({ count, seconds }) => ({ count, windowSeconds: seconds }));
    const service = {
      decide: (atMs: number) => {
        latest = limits.rule(plan, plan, 'GET /', atMs);
        return latest.allowed;
      },
      tell: () => (latest === null ? {} : answer(behaviour, latest)),
      jitterMs: 2,
      random,
    };
    const trace = simulateDrive(numbers, service, undefined, further);
    return judgePlan({ ...trace, subject: { ...trace.subject, plan, keyName, limits: numbers } }, model);
  });
  return { plans: verdicts.map(({ trace }) => trace), leftOut: [], floorSeconds: 0, seconds: 0, verdicts };
}

/** Judges a section in a run that has already come to `value` under `name`; what else it needs, it asks the service for. */
export async function judgeRecorded(
  settings: RawSettings,
  name: string,
  value: unknown,
  section: string,
): Promise<RequirementResult[]> {
  const run = openRun(readTarget(settings, true), { seed: 1, depth: 'certify' });
  try {
    await run.once(name, () => Promise.resolve(value));
    return await runChecks(
      (await loadChecks()).filter((check) => check.section === section),
      run,
    );
  } finally {
    await run.close();
  }
}
