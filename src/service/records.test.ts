import { expect, test } from '@playwright/test';
import { sampleExchange } from '../reports/test-kit.js';
import type { Exchange } from '../http/exchange.js';
import { idIn, itemsIn, recordIn } from './records.js';

function answer(path: string, body: unknown): Exchange {
  return sampleExchange(1, { url: `http://x${path}` }, { body: Buffer.from(JSON.stringify(body)) });
}
const lead = (data: object): Exchange => answer('/api/v1/leads', { ok: true, data });
const deals = (data: object): readonly unknown[] | null => itemsIn(answer('/v1/deals?limit=2', { ok: true, data }));

test('a demo may be a list, an object with one, or a map from ids to units', () => {
  const demo = (body: unknown): Exchange => ({ ...answer('/api/demo/units', body), surface: 'demo' });
  const unit = { id: 'a', status: 'sold' };
  for (const body of [[unit], { items: [unit] }, { vehicles: [unit] }, { a: unit }])
    expect(itemsIn(demo(body))).toEqual([unit]);
  for (const body of [{ b: unit }, unit, {}, 'a']) expect(itemsIn(demo(body))).toBeNull();
});

test('deals and leads are found wherever they stand, and what stands beside them is none; units under items', () => {
  const list = [{ id: 'd1', totalGross: 1 }];
  expect(deals({ items: list })).toEqual(list);
  expect(deals({ stages: [{ id: 3 }], desk: list })).toEqual(list);
  expect(deals({ openDeals: [{ id: 7 }] })).toEqual([{ id: 7 }]);
  expect(deals({ page: [{ totalGross: '1' }] })).toEqual([{ totalGross: '1' }]);
  expect(deals({ open: 4, pipeline: [{ id: 3 }], tags: ['a'] })).toBeNull();
  expect(deals({ deal: list[0] })).toEqual(list);
  expect(deals({ tags: [], deal: list[0] })).toEqual(list);
  expect(itemsIn(lead({ rows: [] }))).toEqual([]);
  expect(itemsIn(lead({ tags: ['a'], rows: [{ id: 1 }] }))).toEqual([{ id: 1 }]);
  expect(itemsIn(lead({ total: 3 }))).toBeNull();
  expect(itemsIn(answer('/api/v1/units', { ok: true, data: { units: [{ id: 'u' }] } }))).toBeNull();
});

test('the lead of an answer is told from a receipt of it and from what stands beside it', () => {
  const full = { id: 'l', name: 'Ana', phone: '+1' };
  for (const data of [
    full,
    { lead: full },
    { id: 'receipt', result: full },
    { id: 'receipt', other: full },
    { related: [{ ...full, id: 'k' }], lead: full },
    { vehicle: { id: 'u', name: 'Golf' }, lead: full },
    { ...full, vehicle: { id: 'u', name: 'Golf' } },
  ]) {
    expect(idIn(lead(data))).toBe('l');
    expect(recordIn(lead(data))).toEqual('phone' in data ? data : full);
  }
  for (const data of [
    { id: 'receipt', leadId: 'l' },
    { leadId: 'l', contact: { name: 'Ana', phone: '+1' } },
    { id: 'l', vehicle: { id: 'u', name: 'Golf' } },
  ]) {
    expect(idIn(lead(data))).toBe('l');
    expect(recordIn(lead(data))).toEqual(data);
  }
  expect(idIn(lead({ job: 'j' }))).toBeNull();
  expect(idIn(lead({ id: 7 }))).toBe('7');
});

test('a record read by its id is found at data or one level below, whatever type its id has', () => {
  const unit = (data: object): Exchange => answer('/api/v1/units/7', { ok: true, data });
  expect(recordIn(unit({ id: 7 }), '7')).toEqual({ id: 7 });
  expect(recordIn(unit({ unit: { id: '7' } }), '7')).toEqual({ id: '7' });
  expect(recordIn(unit({ id: '8', near: { id: '9' } }), '7')).toBeNull();
  expect(idIn(unit({ unit: { id: '7' }, dealer: { id: 'd' } }))).toBe('7');
  expect(idIn(answer('/api/v1/units', { ok: false, data: { id: '7' } }))).toBeNull();
});
