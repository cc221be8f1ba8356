import { randomInt } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { randomFrom } from '../../src/run/random.js';
import { faultCases } from './cases.js';
import { judgeService } from './judge-service.js';
import { behindSlowNetwork } from './lossy-network.test-kit.js';
import { outcomeOfCase, problemsOf } from './outcome.js';
import { startReferenceService } from './reference-service.js';
import { pairwiseVariants } from './variants.js';

const rounds = Number(process.env['CONCURRENCY_ROUNDS'] ?? 2);
const seed = Number(process.env['CONCURRENCY_SEED'] ?? randomInt(1_000_000));

const widths = [4, 16] as const;

test('however many requirements are judged at once, a conforming service on a slow network is blamed for nothing', async () => {
  test.setTimeout(rounds * 120_000);
  process.stdout.write(`  CONCURRENCY_SEED=${seed}\n`);
  const random = randomFrom(seed);
  const variants = [{}, ...pairwiseVariants()];
  for (let round = 0; round < rounds; round += 1) {
    const variant = variants[Math.floor(random() * variants.length)] ?? {};
    const concurrency = widths[round % 2] ?? 1;
    const service = await behindSlowNetwork(await startReferenceService({ variant }), 20, random);
    const { results } = await judgeService(service, { seed: seed + round, depth: 'gate', concurrency });
    const wrong = results.filter(({ verdict }) => ['fail', 'error', 'blocked'].includes(verdict));
    expect(
      wrong.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`),
      `CONCURRENCY_SEED=${seed}, ${concurrency} at once, ${JSON.stringify(variant)}`,
    ).toEqual([]);
  }
});

test('however many requirements are judged at once, a fault turns red what it breaks, and nothing else', async () => {
  test.setTimeout(rounds * 120_000);
  const random = randomFrom(seed);
  const cases = faultCases('own').filter(({ waits, options }) => options.depth === 'gate' && waits !== true);
  for (let round = 0; round < rounds * 2; round += 1) {
    const one = cases[Math.floor(random() * cases.length)];
    if (one === undefined) continue;
    const concurrency = widths[round % 2] ?? 1;
    const judged = await judgeService(await one.start(), { ...one.options, concurrency });
    expect(
      problemsOf(outcomeOfCase(one, judged)),
      `CONCURRENCY_SEED=${seed}, ${concurrency} at once, ${one.name}`,
    ).toEqual([]);
  }
});
