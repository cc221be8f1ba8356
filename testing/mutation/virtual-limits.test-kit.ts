import { randomFrom } from '../limiter-simulators/test-kit.js';
import type { TraceRecord } from '../../src/ratelimit/trace.js';
import { ApiFailure } from '../../src/reference/api-failure.js';
import type { Behaviour, Exchange, Ruling } from '../../src/reference/instance.js';
import { readBehaviour } from '../../src/reference/behaviour.js';
import { limitHeaders } from '../../src/reference/limit-headers.js';
import { makeLimits } from '../../src/reference/limits.js';
import { generousLimits } from '../../src/reference/settings.js';
import { loadPacks } from '../../src/packs.js';
import type { RequirementResult } from '../../src/requirement/types.js';
import { openRun } from '../../src/run/open-run.js';
import { runChecks } from '../../src/run/run-checks.js';
import { readTarget } from '../../src/settings/read-target.js';
import type { RawSettings } from '../../src/settings/setting-table.js';
import type { LimitModel } from '../../src/settings/target.js';
import type { LimitVerdicts } from '../../src/traffic/drive-limits.js';
import { extensionFor, judgePlan } from '../../src/traffic/limit-verdicts.js';
import { type ExtensionFor, simulateDrive } from '../simulated-drives/simulated-drive.test-kit.js';
import { limitHeaders as readLimitHeaders } from '../../src/traffic/engine/drive.js';
import { scaledLimits } from './reference-service.js';
import { closing } from '../../src/loopback.test-kit.js';

const plans = [
  ['independent', 'API_KEY_INDEPENDENT'],
  ['franchise', 'API_KEY_FRANCHISE'],
  ['demo', null],
  ['sandbox', null],
] as const;

/** The answer of the reference service's limiter to one request, as a client records it. */
function answer(behaviour: Behaviour, ruling: Ruling): Partial<TraceRecord> {
  const headers = readLimitHeaders(Object.entries(limitHeaders(ruling, behaviour)));
  if (ruling.allowed) return headers;
  const { status } = behaviour.apply('failure', new ApiFailure(429, 'rate_limited', ''), {} as Exchange);
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
  const limits = makeLimits(behaviour, { ...sold, functional: generousLimits, enterprise: generousLimits });
  const further: ExtensionFor = (trace) => extensionFor(judgePlan(trace, model));
  const verdicts = plans.map(([plan, keyName]) => {
    const random = randomFrom(seed);
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
    const trace = simulateDrive(numbers, service, further);
    return judgePlan({ ...trace, subject: { ...trace.subject, plan, keyName, limits: numbers } }, model);
  });
  return { plans: verdicts.map(({ trace }) => trace), leftOut: [], verdicts };
}

/** Judges a section in a run that has already come to `value` under `name`; what else it needs, it asks the service for. */
export async function judgeRecorded(
  settings: RawSettings,
  name: string,
  value: unknown,
  section: string,
): Promise<RequirementResult[]> {
  await using run = closing(openRun(readTarget(settings, true), { seed: 1, depth: 'certify' }));
  await run.once(name, () => Promise.resolve(value));
  const checks = (await loadPacks()).requirements.filter((check) => check.section === section);
  return await runChecks({ stages: [checks] }, run);
}
