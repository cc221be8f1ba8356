import { expect, test } from '@playwright/test';
import { randomFrom } from '../../src/run/random.js';
import { faultCases } from './cases.js';
import { judgeService } from './judge-service.js';
import { behindLossyNetwork, behindUnsteadyGateway } from './lossy-network.test-kit.js';
import { startReferenceService } from './reference-service.js';
import { pairwiseVariants } from './variants.js';

const rounds = Number(process.env['LOSS_ROUNDS'] ?? 3);

/** The seed of a test, told so that it can be run again, and what it draws. */
function draws(): { readonly seed: number; readonly random: () => number } {
  const seed = Number(process.env['LOSS_SEED'] ?? 1);
  process.stdout.write(`  LOSS_SEED=${seed}\n`);
  return { seed, random: randomFrom(seed) };
}

test('a network that loses an answer now and then is not held against the service', async () => {
  test.setTimeout(rounds * 120_000);
  const { seed, random } = draws();
  const variants = [{}, ...pairwiseVariants()];
  let passed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const variant = round === 0 ? {} : (variants[Math.floor(random() * variants.length)] ?? {});
    // In turn: one answer in a hundred is lost, one in thirty, and one in a hundred of a slow network with several requests at once.
    const [oneIn, mostMs, concurrency] =
      (
        [
          [100, 0, 1],
          [30, 0, 1],
          [100, 20, 8],
        ] as const
      )[round % 3] ?? [];
    const reference = await startReferenceService({ variant });
    const { service, lost } = await behindLossyNetwork(reference, oneIn ?? 100, random, mostMs);
    const { results } = await judgeService(service, {
      seed: seed + round,
      depth: 'gate',
      concurrency: concurrency ?? 1,
    });
    expect(lost.length).toBeGreaterThan(0);
    const wrong = results
      .filter(({ verdict }) => verdict === 'fail' || verdict === 'error')
      .map(({ id, reason }) => `${id}: ${reason}`);
    // What is wrong stands first: the proof prints the beginning of a failure.
    const about = `LOSS_SEED=${seed}, round ${round}, ${JSON.stringify(variant)}, lost: ${lost.join('; ')}`;
    expect(wrong, `${wrong.join('; ')}; ${about}`).toEqual([]);
    passed += results.filter(({ verdict }) => verdict === 'pass').length;
  }
  // A silent run would report no violation either.
  expect(passed).toBeGreaterThan(rounds * 40);
});

test('a fault on a network that loses answers is reported, or its requirement is blocked, and never passes', async () => {
  test.setTimeout(rounds * 120_000);
  const { seed, random } = draws();
  const cases = faultCases('own').filter(
    ({ waits, warns, missed, options }) => options.depth === 'gate' && !waits && !warns && missed === null,
  );
  expect(cases.length).toBeGreaterThan(100);
  for (let round = 0; round < rounds; round += 1) {
    const one = cases[Math.floor(random() * cases.length)];
    if (one?.requirement === undefined || one.requirement === null) continue;
    const { service, lost } = await behindLossyNetwork(await one.start(), 100, random, round % 2 === 0 ? 0 : 5);
    const { results } = await judgeService(service, one.options);
    const own = results.find(({ id }) => id === one.requirement);
    // ENV is judged over what was answered: the one answer that shows the fault may be the one that was lost.
    if (own?.section === 'ENV' && own.verdict === 'pass' && lost.length > 0) continue;
    expect(['fail', 'warn', 'blocked'], `LOSS_SEED=${seed}, ${one.name}: ${own?.reason ?? ''}`).toContain(own?.verdict);
  }
});

test('a service that is away for seconds, its port closed or a gateway in its place, breaks nothing', async () => {
  test.setTimeout(240_000);
  const { seed, random } = draws();
  const variants = [{}, ...pairwiseVariants()];
  const variant = variants[Math.floor(random() * variants.length)] ?? {};
  const outages = new Map(
    Array.from({ length: 6 }, (_, at) => [
      2 + Math.floor(random() * 1_200),
      at % 2 === 0 ? ('closed port' as const) : ('502 in HTML' as const),
    ]),
  );
  const { service, begun } = await behindUnsteadyGateway(await startReferenceService({ variant }), outages);
  const { results } = await judgeService(service, { seed, depth: 'gate' });
  const about = `LOSS_SEED=${seed}, ${JSON.stringify(variant)}, away: ${begun.join('; ')}`;
  const withVerdict = (...verdicts: string[]): string[] =>
    results.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id, reason }) => `${id}: ${reason}`);
  expect(begun.length, about).toBeGreaterThan(2);
  expect(withVerdict('fail', 'error'), `${withVerdict('fail', 'error').join('; ')}; ${about}`).toEqual([]);
  expect(withVerdict('pass').length, about).toBeGreaterThan(40);
});
