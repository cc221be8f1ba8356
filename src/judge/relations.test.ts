import { expect, test } from '@playwright/test';
import type { Breach, Check } from '../run/index.js';
import { type Mode, relate, type View } from './relations.js';

/** What a list of one page shows, round by round; the last round stays. */
type Rounds = readonly (readonly (string | object)[])[];

/** Relates the whole list to a filtered one; the answer is the finding, or null, and how often each was read. */
async function findingOf(mode: Mode, whole: Rounds, filtered: Rounds, nextCursor: string | null = null) {
  const findings: Breach[] = [];
  const requests = { whole: 0, filtered: 0 };
  const send = ({ query = [] }: { query?: readonly unknown[] }): unknown => {
    const name = query.length > 0 ? 'filtered' : 'whole';
    const rounds = name === 'filtered' ? filtered : whole;
    const shown = rounds[Math.min(requests[name], rounds.length - 1)] ?? [];
    requests[name] += 1;
    const items = shown.map((one) => (typeof one === 'string' ? { id: one } : one));
    const data = { items, nextCursor: name === 'filtered' ? nextCursor : null };
    return {
      request: { method: 'GET', path: '/api/v1/units' },
      response: { status: 200, headers: [], json: { ok: true, data } },
    };
  };
  const check = {
    send: (options: never) => Promise.resolve(send(options)),
    once: (_: string, make: () => unknown) => make(),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: 'cursor' },
    run: { patience: 0 },
    fail: (breach: Breach) => findings.push(breach) === 0,
  } as unknown as Check;
  const a: View = { record: 'unit', where: 'in the whole list', list: { maxPages: 1 } };
  const query = [['status', 'available']] as const;
  const b: View = { record: 'unit', where: 'in the filtered list', list: { maxPages: 1, query } };
  const { holds } = await relate(check, a, mode, b);
  expect(holds).toBe(findings.length === 0);
  return { finding: findings[0] ?? null, requests: requests.whole + requests.filtered };
}

test('lists that agree at once are read once', async () => {
  expect(await findingOf('within', [['a']], [['a', 'b']])).toEqual({ finding: null, requests: 2 });
  expect(await findingOf('apart', [['a']], [['b']])).toEqual({ finding: null, requests: 2 });
});

test('a record that a list lacks, or shows against the relation, in all four rounds is found', async () => {
  const { finding, requests } = await findingOf('within', [['a', 'b']], [['a']]);
  expect(requests).toBe(12);
  expect(finding).toMatchObject({
    code: 'record-missing',
    expected: 'each unit in the whole list to be in the filtered list',
    actual: '"b" is not, each time of four',
  });
  expect((await findingOf('apart', [['a', 'b']], [['b']])).finding).toMatchObject({ code: 'other-listed' });
  expect((await findingOf('equals', [['a', 'b']], [['a']])).finding).toMatchObject({ code: 'record-missing' });
});

test('a record that moves between the readings, and one beyond where a list was cut, say nothing', async () => {
  expect((await findingOf('within', [['a', 'b']], [['a'], ['a'], ['a', 'b']])).finding).toBeNull();
  expect((await findingOf('apart', [['a'], ['a'], ['c']], [['a']])).finding).toBeNull();
  expect((await findingOf('within', [['a', 'b']], [['a']], 'next')).finding).toBeNull();
  expect((await findingOf('within', [['a', 'b', 'c']], [['a', 'c']], 'next')).finding).not.toBeNull();
});

test('a field that both lists show differently is found, and one that moves by itself is not', async () => {
  const unit = (price: number): object => ({ id: 'a', price });
  const { finding } = await findingOf('alike', [[unit(1)]], [[unit(2)]]);
  expect(finding).toMatchObject({ code: 'field-differs', field: '/price', actual: '1 and 2' });
  expect((await findingOf('alike', [[unit(1)], [unit(2)], [unit(3)]], [[unit(4)]])).finding).toBeNull();
  expect((await findingOf('alike', [[unit(0)]], [[unit(1)], [unit(2)], [unit(3)]])).finding).toBeNull();
});

test('a field that several records show, and none of the other list, is found', async () => {
  const units = ['a', 'b', 'c'].map((id) => ({ id, year: 1 }));
  const { finding } = await findingOf('fields', [units], [['a', 'b', 'c']]);
  expect(finding).toMatchObject({ code: 'field-missing', field: '/year' });
  expect((await findingOf('fields', [units.slice(1)], [['b', 'c']])).finding).toBeNull();
});
