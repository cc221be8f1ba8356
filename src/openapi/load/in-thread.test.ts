import { expect, test } from '@playwright/test';
import { inThread } from './in-thread.js';

const module = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { isMainThread } from 'node:worker_threads';
    export const where = async (given) => ({ given, isMainThread });
    export const failing = () => { throw new Error('no luck'); };
  `)}`,
);
const where = (given: unknown): object => ({ given, isHere: true });
const failing = (given: number): number => given + 1;

test('a function works in another thread, in this one where that fails, and in the other one after that', async () => {
  const elsewhere = { given: { a: [1] }, isMainThread: false };
  expect(await inThread(module, where, { a: [1] })).toEqual(elsewhere);
  expect(await inThread(module, failing, 1)).toBe(2);
  expect(await inThread(module, where, { a: [1] })).toEqual(elsewhere);
  expect(await inThread(new URL('./no-such-file.js', import.meta.url), where, 7)).toEqual({ given: 7, isHere: true });
});
