import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Exchange } from '../../http/exchange.js';
import { randomFrom, uuidFor } from '../../run/random.js';
import { readEvidence } from './evidence-reader.js';
import { openEvidence } from './evidence-writer.js';
import { sampleExchange } from '../test-kit.js';
import { scratch } from '../../folder.test-kit.js';

const count = Number(process.env['EVIDENCE_EXCHANGES'] ?? 2_000);
const most = { bytesEach: 500, whole: 50_000_000 };

/** Eight pages of fifty units of some thirty fields. */
function pages(random: () => number): unknown[][] {
  const word = (): string => Math.floor(random() * 36 ** 6).toString(36);
  return Array.from({ length: 8 }, () =>
    Array.from({ length: 50 }, () => ({
      id: uuidFor(word(), 'unit'),
      vin: word() + word() + word(),
      status: 'available',
      price: Math.floor(random() * 9e6) / 100,
      mileage: Math.floor(random() * 2e5),
      make: word(),
      model: word(),
      year: 2010 + Math.floor(random() * 16),
      location: { lot: word(), row: Math.floor(random() * 40) },
      features: [word(), word(), word()],
      updatedAt: new Date(1.7e12 + Math.floor(random() * 5e10)).toISOString(),
    })),
  );
}

/** Exchange `seq` of a run that mostly walks lists and creates leads; every answer has an id and an instant of its own. */
function exchange(seq: number, units: readonly unknown[][], random: () => number): Exchange {
  const lists = random() < 0.65;
  const id = uuidFor(String(random()), 'request');
  const name = { name: `Zoë ${uuidFor(String(random()), 'name')}`, phone: '+14155550123', vehicleId: id };
  const data = lists ? { items: units[seq % units.length], nextCursor: id } : { id, ...name };
  const body = Buffer.from(JSON.stringify({ ok: true, data, meta: { requestId: id, at: 1.7e12 + seq * 37 } }));
  const list = { url: `https://staging.example.com/api/v1/units?limit=50&cursor=${id}` };
  const create = {
    url: 'https://staging.example.com/api/v1/leads',
    method: 'POST',
    body: Buffer.from(JSON.stringify(name)),
  };
  const headers = [
    ['content-type', 'application/json; charset=utf-8'],
    ['content-length', String(body.length)],
    ['ratelimit-remaining', String(600 - (seq % 600))],
    ['x-request-id', id],
  ] as const;
  return sampleExchange(seq, lists ? list : create, { body, headers });
}

test(`${count.toLocaleString('en')} exchanges of long lists that all differ a little are kept small, and are there before the run ends`, async () => {
  test.setTimeout(600_000);
  using place = scratch();
  const dir = place.folder;
  const random = randomFrom(11);
  const units = pages(random);
  const evidence = openEvidence(dir);
  for (let seq = 1; seq <= count; seq += 1) {
    evidence.record(exchange(seq, units, random));
    // As answers of a network come in turns, packing has its turns.
    if (seq % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const gaps: number[] = [];
  let held = 0;
  for await (const { seq } of readEvidence(dir)) if (seq !== (held += 1)) gaps.push(seq);
  expect({ held, gaps }).toEqual({ held: count, gaps: [] });
  await evidence.close();
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  process.stdout.write(`  ${bytes.toLocaleString('en')} bytes, ${Math.round(bytes / count)} for each exchange\n`);
  expect(bytes).toBeLessThan(Math.min(count * most.bytesEach, most.whole));
});
