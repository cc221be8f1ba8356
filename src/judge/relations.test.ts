import { expect, test } from '@playwright/test';
import type { Breach, Check } from '../run/index.js';
import { relate } from './relations.js';

/** What a list of one page shows, round by round; the last round stays. */
type Rounds = readonly (readonly string[])[];

/** Relates records of the whole list to a filtered one; the answer is the finding, or null, and how many requests were sent. */
async function findingOf(mode: 'within' | 'apart', whole: Rounds, filtered: Rounds, nextCursor: string | null = null) {
  const findings: Breach[] = [];
  const requests = { whole: 0, filtered: 0 };
  const send = ({ query = [] }: { query?: readonly unknown[] }): unknown => {
    const name = query.length > 0 ? 'filtered' : 'whole';
    const rounds = name === 'filtered' ? filtered : whole;
    const ids = rounds[Math.min((requests[name] += 1), rounds.length - 1)] ?? [];
    return answer(ids, name === 'filtered' ? nextCursor : null);
  };
  const check = {
    send: (options: never) => Promise.resolve(send(options)),
    once: (_: string, make: () => unknown) => make(),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: 'cursor' },
    run: { patience: 0 },
    fail: (breach: Breach) => findings.push(breach) === 0,
  } as unknown as Check;
  const a = { noun: 'unit of the whole list', list: { maxPages: 1 } };
  const b = { noun: 'the filtered list', list: { maxPages: 1, query: [['status', 'available']] as const } };
  const held = await relate(check, a, mode, b, [walkOf(whole[0] ?? []), walkOf(filtered[0] ?? [])]);
  expect(held).toBe(findings.length === 0);
  return { finding: findings[0] ?? null, requests: requests.whole + requests.filtered };
}

function answer(ids: readonly string[], nextCursor: string | null) {
  const data = { items: ids.map((id) => ({ id })), nextCursor };
  return { request: { method: 'GET', path: '' }, response: { status: 200, json: { ok: true, data } } };
}

function walkOf(ids: readonly string[]) {
  const items = ids.map((id) => ({ id }));
  const pages = [{ exchange: answer(ids, null) as never, items, next: null }];
  return { pages, items, complete: true, stopped: null, loops: false, nameless: false };
}

test('lists that agree at once cost no further request', async () => {
  expect(await findingOf('within', [['a']], [['a', 'b']])).toEqual({ finding: null, requests: 0 });
  expect(await findingOf('apart', [['a']], [['b']])).toEqual({ finding: null, requests: 0 });
});

test('a record that a list lacks, or shows against the relation, in all four readings is found', async () => {
  const { finding, requests } = await findingOf('within', [['a', 'b']], [['a']]);
  expect(requests).toBe(6);
  expect(finding).toMatchObject({
    code: 'record-missing',
    expected: 'every unit of the whole list in the filtered list',
    actual: '1 missing, such as "b", four times in a row',
  });
  expect(finding?.exchanges).toHaveLength(2);
  expect((await findingOf('apart', [['a', 'b']], [['b']])).finding).toMatchObject({ code: 'other-listed' });
});

test('a record that moves between the readings, and a list that was not read to its end, say nothing', async () => {
  expect((await findingOf('within', [['a', 'b']], [['a'], ['a'], ['a', 'b']])).finding).toBeNull();
  expect((await findingOf('apart', [['a'], ['a'], ['c']], [['a']])).finding).toBeNull();
  expect((await findingOf('within', [['a', 'b']], [['a']], 'next')).finding).toBeNull();
});
