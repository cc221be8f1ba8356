import { expect, test } from '@playwright/test';
import { judge } from '../../src/judge-target.js';
import { loadPacks } from '../../src/packs.js';
import { readTarget } from '../../src/settings/read-target.js';
import { startReferenceService } from './reference-service.js';

test('a gate that judges twelve requirements at once finds what one after another finds', async () => {
  const verdicts: string[][] = [];
  const drawn: string[][] = [];
  for (const concurrency of [1, 12]) {
    await using service = await startReferenceService({ faults: ['filter-ignored', 'unit-key-ignored'] });
    const catalogue = await loadPacks();
    const judgedIds = /^(UNIT-(02|03|06|11)|IDEM-0[12]|AUTH-0[123]|DEMO-0[123]|ENV-0[13])$/;
    const selected = catalogue.requirements.filter(({ id }) => judgedIds.test(id));
    const target = readTarget(service.settings, true);
    const run = { seed: 7, nonce: 'the same', depth: 'gate', patience: 0.1 } as const;
    const judged = await judge({ ...service, target }, { catalogue, selected, anyTarget: true, concurrency, run });
    verdicts.push(judged.report.requirements.map(({ id, verdict }) => `${id} ${verdict}`));
    const order = selected.map(({ id }) => id);
    const asked = judged.report.observations.map(({ id }) => order.indexOf(id));
    expect(asked).toEqual(asked.toSorted((a, b) => a - b));
    const sent = await judged.run.exchanges();
    const keys = sent
      .filter(({ asker }) => ['AUTH-03', 'UNIT-11'].includes(asker))
      .flatMap(({ request }) => request.headers.filter(([name]) => name === 'idempotency-key').map(([, key]) => key));
    drawn.push([...new Set(keys)].toSorted());
    const meanwhile = sent.filter((one, at) =>
      sent.slice(0, at).some((other) => other.asker !== one.asker && other.receivedAtMs > one.sentAtMs),
    );
    expect(meanwhile.length > 50).toBe(concurrency > 1);
    expect(meanwhile.filter(({ asker }) => asker.startsWith('ENV'))).toEqual([]);
  }
  expect(verdicts[1]).toEqual(verdicts[0]);
  expect(verdicts[0]).toContain('UNIT-03 fail');
  expect(drawn[0]?.length).toBeGreaterThan(10);
  // What several checks share is sent by the one that comes first.
  expect(drawn[1]).toEqual(expect.arrayContaining(drawn[0] ?? []));
});

test('a gate whose time is over begins nothing more, and what it did not reach is blocked by name', async () => {
  await using service = await startReferenceService({});
  const catalogue = await loadPacks();
  const selected = catalogue.requirements.filter(({ section }) => ['DEAL', 'DEMO', 'UNIT'].includes(section));
  const target = readTarget(service.settings, true);
  const options = { catalogue, selected, anyTarget: true, maxSeconds: 0, run: { seed: 7, depth: 'gate' } } as const;
  const { report, run } = await judge({ ...service, target }, options);
  expect(report.outcome).toBe('incomplete');
  expect(report.sections?.map(({ id }) => id).sort()).toEqual(['DEAL', 'DEMO', 'UNIT']);
  expect(new Set(report.requirements.map(({ verdict, reason }) => `${verdict}: ${reason}`))).toEqual(
    new Set(['blocked: it was not reached within the 0 s of --max-time']),
  );
  expect((await run.exchanges()).filter(({ asker }) => /^(DEAL|DEMO|UNIT)/.test(asker))).toEqual([]);
});
