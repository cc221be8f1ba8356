import { randomInt } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { randomFrom } from '../run/random.js';
import { judgeService } from './judge-service.js';
import { behindLossyNetwork } from './lossy-network.test-kit.js';
import { startReferenceService } from './reference-service.js';
import { pairwiseVariants } from './variants.js';

test('a network that loses an answer now and then is not held against the service', async () => {
  test.setTimeout(240_000);
  const seed = Number(process.env['LOSS_SEED'] ?? randomInt(1_000_000));
  process.stdout.write(`  LOSS_SEED=${seed}\n`);
  const random = randomFrom(seed);
  const variants = [{}, ...pairwiseVariants()];
  let passed = 0;
  for (let round = 0; round < 2; round += 1) {
    const variant = round === 0 ? {} : (variants[Math.floor(random() * variants.length)] ?? {});
    const { service, lost } = await behindLossyNetwork(await startReferenceService({ variant }), 100, random);
    const { results } = await judgeService(service, { seed: seed + round, depth: 'gate' });
    expect(lost.length).toBeGreaterThan(0);
    const wrong = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
    expect(
      wrong.map(({ id, reason }) => `${id}: ${reason}`),
      `LOSS_SEED=${seed}, ${JSON.stringify(variant)}, lost: ${lost.join('; ')}`,
    ).toEqual([]);
    passed += results.filter(({ verdict }) => verdict === 'pass').length;
  }
  // Silence would blame nobody either.
  expect(passed).toBeGreaterThan(2 * 40);
});
