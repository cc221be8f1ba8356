import { expect, test } from '@playwright/test';
import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import { Effects } from './effects.js';

type Json = Record<string, unknown>;

const answer = (status: number, data: Json | null = null, method = 'GET'): Exchange =>
  ({
    request: { method, path: '/api/v1/units', headers: [] },
    response: { status, json: { ok: status < 300, data, error: {} }, headers: [] },
    surface: 'production',
  }) as unknown as Exchange;

/** Units as a service holds them, watched; `found` is what was reported. */
async function watched(
  ...sent: readonly Json[]
): Promise<{ readonly units: Map<string, Json>; readonly effects: Effects; readonly found: string[] }> {
  const found: string[] = [];
  const say = ({ expected }: { expected: string }): number => found.push(expected);
  const each = async (items: readonly unknown[], work: (item: unknown) => Promise<unknown>): Promise<void> => {
    for (const item of items) await work(item);
  };
  const check = {
    run: { patience: 0, exchanges: () => Promise.resolve([]) },
    fail: say,
    warn: say,
    each,
  } as unknown as Check;
  const units = new Map<string, Json>();
  const effects = await Effects.watch(check, {
    noun: 'unit',
    one: (id) => {
      const record = units.get(id) ?? null;
      return Promise.resolve({ exchange: answer(record === null ? 404 : 200, record), record });
    },
    isDeclared: () => true,
    isSetByService: () => false,
  });
  for (const [at, body] of sent.entries()) {
    units.set(`u${at}`, { id: `u${at}`, ...body });
    effects.created(`u${at}`, body, answer(201, { id: `u${at}` }, 'POST'));
  }
  await effects.judge();
  return { units, effects, found };
}

const car = { make: 'Audi', price: 20_000, status: 'reserved' };

/** Changes the price of every unit, and stores what `stored` makes of it. */
async function changed(stored: (unit: Json, id: string) => Json, ...sent: readonly Json[]): Promise<string[]> {
  const { units, effects, found } = await watched(...sent);
  for (const [id, unit] of units) {
    units.set(id, stored({ ...unit, price: 30_001 }, id));
    effects.changed(id, { price: 30_001 }, answer(200, {}, 'PATCH'));
  }
  await effects.judge();
  return found;
}

test('a change that shows, beside fields that stay or were shown otherwise before, is right', async () => {
  expect(await changed((unit) => unit, car)).toEqual([]);
  expect(await changed((unit) => ({ ...unit, make: 'AUDI' }), { ...car, make: null })).toEqual([]);
});

test('a change that does not show, and one of a field that it does not name, are breaches', async () => {
  expect(await changed((unit) => ({ ...unit, price: 20_000 }), car)).toEqual([expect.stringMatching(/^price 30001, /)]);
  expect(await changed((unit) => ({ ...unit, make: '' }), car)).toEqual([
    expect.stringMatching(/^make to stay "Audi"/),
  ]);
});

test('the status of one unit may move by itself, that of two is the doing of the change', async () => {
  const available = (unit: Json): Json => ({ ...unit, status: 'available' });
  expect(await changed(available, car)).toEqual([]);
  expect(await changed(available, car, car)).toEqual([expect.stringMatching(/^status to stay "reserved"/)]);
});

test('what was refused or taken on for later owes nothing', async () => {
  for (const status of [202, 409, 503]) {
    const { effects, found } = await watched(car);
    effects.changed('u0', { price: 1 }, answer(status, {}, 'PATCH'));
    await effects.judge();
    expect(found).toEqual([]);
  }
  for (const [status, findings] of [
    [201, 1],
    [202, 0],
  ] as const) {
    const { effects, found } = await watched();
    effects.created('u0', car, answer(status, null, 'POST'));
    await effects.judge();
    expect(found).toHaveLength(findings);
  }
});

test('a deletion takes the unit away, and no other one', async () => {
  for (const [gone, expected] of [
    ['u0', []],
    ['u1', [/^unit "u0" gone/, /^DELETE of unit "u0" to delete no other unit/]],
  ] as const) {
    const { units, effects, found } = await watched(car, car);
    units.delete(gone);
    effects.deleted('u0', answer(200, {}, 'DELETE'));
    await effects.judge();
    expect(found).toEqual(expected.map((pattern): unknown => expect.stringMatching(pattern)));
  }
});
