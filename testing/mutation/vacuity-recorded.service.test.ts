import { expect, test } from '@playwright/test';
import { fixedAnchored, all } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { randomFrom } from '../limiter-simulators/test-kit.js';
import type { Limit } from '../../src/settings/limits.js';
import type { LimitVerdicts } from '../../src/traffic/drive-limits.js';
import { judgePlan } from '../../src/traffic/limit-verdicts.js';
import { simulateDrive } from '../simulated-drives/simulated-drive.test-kit.js';
import { judgeDeliveries } from '../../src/webhooks/judge/judge-deliveries.js';
import { delivery, header, payload, secret } from '../../src/webhooks/test-kit.js';
import { startSparse } from './sparse-service.test-kit.js';
import { judgeRecorded } from './virtual-limits.test-kit.js';

/** The verdicts of some checks, and why, where a run has already come to `value` under `name`. */
async function verdictsGiven(name: string, value: unknown, ids: readonly string[]): Promise<string[]> {
  await using service = await startSparse({});
  const section = ids[0]?.replace(/-.*/, '') ?? '';
  // What is judged was recorded, so nothing listens there.
  const settings = { ...service.settings, SIGNING_SECRET: secret, WEBHOOK_LISTEN: '127.0.0.1:0' };
  const results = await judgeRecorded(settings, name, value, section);
  return results
    .filter(({ id }) => ids.includes(id))
    .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)
    .sort();
}

/** What comes of driving one face of a service that keeps its limits and sends no headers. */
function driven(plan: 'independent' | 'demo', limits: readonly Limit[]): LimitVerdicts {
  const random = randomFrom(7);
  const decide = all(limits.map((limit) => fixedAnchored(limit)));
  const trace = simulateDrive(limits, { decide, jitterMs: 5, random });
  const keyName = plan === 'demo' ? null : 'API_KEY_INDEPENDENT';
  const verdict = judgePlan({ ...trace, subject: { ...trace.subject, plan, keyName } }, 'auto');
  const leftOut = plan === 'demo' ? [{ plan: 'independent' as const, why: 'set API_KEY_INDEPENDENT' }] : [];
  return { plans: [verdict.trace], leftOut, verdicts: [verdict] };
}

const burst: Limit = { count: 120, windowSeconds: 60 };
const sustained: Limit = { count: 20, windowSeconds: 1 };

test('a sustained limit that nothing tried has does not hold, and the demo owes headers as a plan does', async () => {
  const ids = ['LIMIT-02', 'LIMIT-03', 'LIMIT-06'];
  expect(await verdictsGiven('limit verdicts', driven('demo', [burst]), ids)).toEqual([
    expect.stringMatching(/^LIMIT-02 pass/),
    expect.stringMatching(/^LIMIT-03 not-applicable: .* set API_KEY_INDEPENDENT/),
    expect.stringMatching(/^LIMIT-06 fail/),
  ]);
  expect(await verdictsGiven('limit verdicts', driven('independent', [burst, sustained]), ids)).toEqual([
    expect.stringMatching(/^LIMIT-02 pass/),
    expect.stringMatching(/^LIMIT-03 pass/),
    expect.stringMatching(/^LIMIT-06 fail/),
  ]);
});

test('deliveries of which none arrived whole show no kind', async () => {
  const hooks = (whole: boolean): unknown => {
    const deliveries = [{ ...delivery(1, payload('lead.created')), whole }];
    const settings = { secret, otherSecret: null, header, document: null };
    const collected = { deliveries, writes: [], triggered: [], retries: [], listenedAt: '', waitedSeconds: 0 };
    return { collected, judgement: judgeDeliveries(deliveries, settings) };
  };
  const [cut] = await verdictsGiven('judged deliveries', hooks(false), ['HOOK-03']);
  expect(cut).toMatch(/^HOOK-03 blocked: no delivery arrived whole/);
  const [whole] = await verdictsGiven('judged deliveries', hooks(true), ['HOOK-03']);
  expect(whole).toMatch(/^HOOK-03 pass/);
});
