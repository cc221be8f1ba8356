import { expect, test } from '@playwright/test';
import type { Check } from '../run/check.js';
import { cursorParameter, namesMore, nextCursor, walk } from './list.js';
import { paths } from './paths.js';

/** A service whose list never ends: every page has a cursor; `last` gives further members of its empty pages. */
function endless(last: (cursor: string | null) => object): Check {
  const send = ({ path, query = [] }: { path: string; query?: readonly (readonly [string, string])[] }): unknown => {
    const cursor = new Map(query).get('cursor') ?? null;
    const data = cursor === null ? { items: [{ id: 'a' }], nextCursor: '1' } : { items: [], ...last(cursor) };
    return {
      request: { method: 'GET', path },
      response: { status: 200, json: { ok: true, data } },
    };
  };
  return {
    send: (options: never) => Promise.resolve(send(options)),
    once: (_: string, make: () => unknown) => make(),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: 'cursor' },
  } as unknown as Check;
}

test('an empty page ends a list where it hands back its own cursor or says that there is no more, and no other does', async () => {
  const read = async (last: (cursor: string | null) => object): Promise<readonly [boolean, number]> => {
    const { complete, pages } = await walk(endless(last), { maxPages: 5 });
    return [complete, pages.length];
  };
  expect(await read((cursor) => ({ nextCursor: cursor }))).toEqual([true, 2]);
  expect(await read((cursor) => ({ nextCursor: `${cursor ?? ''}1`, hasMore: false }))).toEqual([true, 2]);
  expect(await read((cursor) => ({ nextCursor: `${cursor ?? ''}1` }))).toEqual([false, 5]);
  expect(await read((cursor) => ({ nextCursor: `${cursor ?? ''}1`, hasMore: true }))).toEqual([false, 5]);
});

test('an object as a cursor leads nowhere where no declaration says how it is sent, and the list is not taken for the whole one', async () => {
  const data = { items: [{ id: 'a' }], nextCursor: { after: 'a' } };
  const answer = { request: { method: 'GET', path: '' }, response: { status: 200, json: { ok: true, data } } };
  const check = {
    send: () => Promise.resolve(answer),
    once: (_: string, make: () => unknown) => make(),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: 'cursor' },
  } as unknown as Check;
  expect(await walk(check, { maxPages: 5 })).toMatchObject({ complete: false, nameless: true, pages: [{}] });
});

test('a declared parameter of any name takes the cursor where it leads to other records only', async () => {
  const parameterFor = (cursor: unknown, shown: Readonly<Record<string, readonly string[]>>, ...names: string[]) => {
    const node = { style: 'deepObject', explode: true, schema: { type: 'object' } };
    const parameters = names.map((name) => ({ name, in: 'query', required: false, pointer: '', node }));
    const send = ({ path, query }: { path: string; query: readonly (readonly [string, string])[] }): unknown => {
      const ids = query.flatMap(([name]) => shown[name] ?? []);
      const data = {
        items: (path === paths.units ? [] : ids.length === 0 ? ['a', 'b'] : ids).map((id) => ({ id })),
        nextCursor: cursor,
      };
      return { request: { method: 'GET', path: '' }, response: { status: 200, json: { data } } };
    };
    const check = {
      send: (options: never) => Promise.resolve(send(options)),
      once: (_: string, make: () => unknown) => make(),
      contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => ({ parameters }) } }),
      target: { cursorParam: null },
    } as unknown as Check;
    return cursorParameter(check, paths.deals);
  };
  const after = { after: 'b' };
  expect(await parameterFor(after, { 'c[after]': ['c', 'd'] }, 'where', 'c')).toBe('c');
  expect(await parameterFor(after, { 'c[after]': ['c', 'd'] }, 'where')).toBeNull();
  expect(await parameterFor(after, { 'not[after]': ['a', 'c'] }, 'not')).toBeNull();
  expect(await parameterFor('b', { c: ['c', 'd'] }, 'c')).toBe('c');
  expect(await parameterFor('b', { c: ['c', 'd'] })).toBeNull();
});

test('an object of nothing, or one that says that no more follows, ends a list', () => {
  expect(nextCursor({ nextCursor: { after: null } })).toBeNull();
  expect(nextCursor({ nextCursor: { after: 'a', hasMore: false } })).toBeNull();
  expect(nextCursor({ nextCursor: { after: 'a', hasMore: true } })).toEqual({ after: 'a', hasMore: true });
});

/** A list of five units with pages of `limit`, whose cursor is sent by `name`; `added` are the ids before them at each read, in turn. */
function listed(name: string, added: readonly (readonly string[])[]): Check {
  let reads = 0;
  const send = ({ path, query = [] }: { path: string; query?: readonly (readonly [string, string])[] }): unknown => {
    const given = new Map(query);
    const ids = [...(added[reads++] ?? []), 'a', 'b', 'c', 'd', 'e'];
    const from = Number(given.get(name) ?? 0);
    const to = from + Number(given.get('limit'));
    const data = { items: ids.slice(from, to).map((id) => ({ id, status: reads })), nextCursor: String(to) };
    return { request: { method: 'GET', path }, response: { status: 200, json: { ok: true, data } } };
  };
  return {
    send: (options: never) => Promise.resolve(send(options)),
    once: (_: string, make: () => unknown) => make(),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: null },
  } as unknown as Check;
}

test('a parameter takes the cursor where it leads to other records, not where the first page has changed meanwhile', async () => {
  expect(await cursorParameter(listed('after', []))).toBe('after');
  // Records that change at every read, and records that come and go between two reads.
  expect(await cursorParameter(listed('c', []))).toBeNull();
  for (const at of [1, 2, 3, 4])
    expect(await cursorParameter(listed('c', [...Array.from({ length: at }, () => []), ['new', 'newer']]))).toBeNull();
  expect(await cursorParameter(listed('c', [[], ['x'], [], ['y'], ['z']]))).toBeNull();
  expect(await cursorParameter(listed('after', [[], ['x'], ['y'], []]))).toBe('after');
});

test('a page without nextCursor says in other ways that more follows', () => {
  const items = [{ id: 'a' }, { id: 'b' }];
  for (const more of [
    { nextOffset: 2 },
    { next: '/leads?page=2' },
    { hasMore: true },
    { total: 3 },
    { page: { next: 2 } },
  ])
    expect(namesMore({ items, ...more }), JSON.stringify(more)).toBe(true);
  for (const none of [{}, { nextOffset: null }, { hasMore: false }, { total: 2 }, { nextCursor: null, total: 3 }])
    expect(namesMore({ items, ...none }), JSON.stringify(none)).toBe(false);
});

test('a list that was too short to find the cursor parameter is tried again once a page leads on', async () => {
  const records = [{ id: 'a' }];
  const memo = new Map<string, unknown>();
  const send = ({ path, query = [] }: { path: string; query?: readonly (readonly [string, string])[] }): unknown => {
    const from = Number(new Map(query).get('after') ?? 0);
    const to = from + Number(new Map(query).get('limit'));
    const data = { items: records.slice(from, to), nextCursor: to < records.length ? String(to) : null };
    return { request: { method: 'GET', path }, response: { status: 200, json: { ok: true, data } } };
  };
  const check = {
    send: (options: never) => Promise.resolve(send(options)),
    once: (name: string, make: () => unknown) => memo.get(name) ?? memo.set(name, make()).get(name),
    contract: () => Promise.resolve({ contract: { cursorParameter: () => null, operation: () => null } }),
    target: { cursorParam: null },
  } as unknown as Check;
  expect(await cursorParameter(check)).toBeNull();
  records.push(...Array.from('bcdefgh', (id) => ({ id })));
  expect(await walk(check, { limit: 3 })).toMatchObject({ complete: true, pages: [{}, {}, {}] });
});
