import { expect, test } from '@playwright/test';
import { inThread } from './in-thread.js';

const module = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  export const where = async (given) => ({ given, isMainThread });
  export const failing = () => { throw new Error('no luck'); };
`)}`;

test('a function of a module works in another thread, and goes on after one that fails', async () => {
  const elsewhere = { given: { a: [1] }, isMainThread: false };
  expect(await inThread(module, 'where', { a: [1] })).toEqual(elsewhere);
  await expect(inThread(module, 'failing', null)).rejects.toThrow('no luck');
  expect(await inThread(module, 'where', { a: [1] })).toEqual(elsewhere);
});
