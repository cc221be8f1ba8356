import { expect, test } from '@playwright/test';
import { faults } from '../../src/reference/faults/faults.js';
import type { Fault } from '../../src/reference/faults/fault.js';
import { limiterVariants, limitModelOf, needsLongerWindow } from './cases.js';
import type { Service } from './judge-service.js';
import { outcomeOfCase, problemsOf } from './outcome.js';
import { startReferenceService } from './reference-service.js';
import { driveInVirtualTime, judgeRecorded } from './virtual-limits.test-kit.js';

test.describe.configure({ mode: 'parallel' });

let service: Service;
test.beforeAll(async () => {
  service = await startReferenceService({});
});
test.afterAll(() => service.close());

/** Faults that virtual time does not show: they need several keys, operations or machines, an answer's body or a date. */
const realTimeOnly =
  /^(plans-counted-together|burst-by-path|limits-by-operation|limits-by-source|writes-uncounted|window-half-longer|headers-missing-on-demo-refusal|refusal-(bare|text|sometimes-.*|expires-later)|retry-after-past-date)$/;

async function problemsInVirtualTime(
  fault: Fault | null,
  variant: Readonly<Record<string, string>>,
): Promise<string[]> {
  const verdicts = driveInVirtualTime({
    faults: fault === null ? [] : [fault.id],
    variant: { ...variant, ...fault?.needs },
    model: fault === null ? 'auto' : limitModelOf(fault),
    windowsSeconds: fault !== null && needsLongerWindow(fault) ? [15, 0.5] : [6, 0.5],
    seed: 1,
  });
  const results = await judgeRecorded(service.settings, 'limit verdicts', verdicts, 'LIMIT');
  const { id: name = '', requirement = null, also = {}, warns = false } = fault ?? {};
  const kind = fault === null ? 'variant' : 'fault';
  return problemsOf(
    outcomeOfCase(
      { kind, name, requirement, collateral: Object.keys(also), warns },
      { results, isReached: true, requests: 0, seconds: 0 },
    ),
  );
}

for (const fault of faults.filter(
  ({ id, requirement, depth }) => requirement.startsWith('LIMIT') && depth !== 'gate' && !realTimeOnly.test(id),
))
  test(`in virtual time, the fault ${fault.id} turns ${fault.requirement} red, and nothing unlisted`, async () => {
    expect(await problemsInVirtualTime(fault, {})).toEqual([]);
  });

for (const variant of limiterVariants())
  test(`in virtual time, a limiter with ${JSON.stringify(variant)} has nothing red`, async () => {
    expect(await problemsInVirtualTime(null, variant)).toEqual([]);
  });
