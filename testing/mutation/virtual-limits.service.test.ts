import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { RequirementResult } from '../../src/requirement/index.js';
import { faults } from '../../src/reference/faults/faults.js';
import type { Fault } from '../../src/reference/faults/fault.js';
import { limiterVariants, limitModelOf, needsLongerWindow } from './cases.js';
import type { Service } from './judge-service.js';
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

const tableFile = fileURLToPath(new URL('./virtual-limits.json', import.meta.url));

/** The requirements that each fault breaks, by its id. */
const table = JSON.parse(readFileSync(tableFile, 'utf8')) as Record<string, readonly string[]>;

/** The requirements of the limits that turn red. */
async function brokenInVirtualTime(
  fault: Fault | null,
  variant: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const verdicts = driveInVirtualTime({
    faults: fault === null ? [] : [fault.id],
    variant: { ...variant, ...fault?.needs },
    model: fault === null ? 'auto' : limitModelOf(fault),
    windowsSeconds: fault !== null && needsLongerWindow(fault) ? [15, 0.5] : [6, 0.5],
    seed: 1,
  });
  const results = await judgeRecorded(service.settings, 'limit verdicts', verdicts, 'LIMIT');
  const isRed = ({ id, verdict }: RequirementResult): boolean =>
    /fail|error/.test(verdict) || verdict === (id === fault?.requirement ? 'warn' : fault === null ? 'blocked' : '');
  return results.filter(isRed).map(({ id }) => id);
}

const judged = faults.filter(
  ({ id, requirement, depth }) => requirement.startsWith('LIMIT') && depth !== 'gate' && !realTimeOnly.test(id),
);
for (const fault of judged)
  test(`in virtual time, the fault ${fault.id} turns ${fault.requirement} red, and nothing unlisted`, async () => {
    const broken = await brokenInVirtualTime(fault, {});
    expect(broken).toContain(fault.requirement);
    expect(broken).toEqual(table[fault.id]);
  });

for (const variant of limiterVariants())
  test(`in virtual time, a limiter with ${JSON.stringify(variant)} has nothing red`, async () => {
    expect(await brokenInVirtualTime(null, variant)).toEqual([]);
  });
