import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

interface Job {
  readonly done: (result: never) => void;
  readonly failed: (error: Error) => void;
}

/** The answer to a job by its number. */
interface Answer {
  readonly job: number;
  readonly result: never;
}

const source = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', async ({ job, module, name, argument }) => {
  const exported = await import(module);
  parentPort.postMessage({ job, result: await exported[name](argument) });
});
`;

let thread: Worker | null = null;
let jobs = 0;
const pending = new Map<number, Job>();

/** The thread of this process, which keeps nothing alive while it has nothing to do. */
function openThread(): Worker {
  const opened = new Worker(source, { eval: true });
  opened.on('message', ({ job, result }: Answer) => {
    pending.get(job)?.done(result);
    pending.delete(job);
    if (pending.size === 0) opened.unref();
  });
  opened.on('error', (error) => {
    thread = null;
    const lost = [...pending.values()];
    pending.clear();
    for (const { failed } of lost) failed(error);
  });
  return opened;
}

/**
 * Calls a function that its module exports in a thread of its own, so that requests go on meanwhile. What it is given and what it gives are
 * plain data. Where no such file stands, as where a test runner compiles sources or a bundler joins them, or where that thread fails, it is
 * called in this one.
 */
export async function inThread<A, T>(module: URL, work: (argument: A) => T | Promise<T>, argument: A): Promise<T> {
  if (module.protocol === 'file:' && !existsSync(module)) return work(argument);
  thread ??= openThread();
  const opened = thread;
  jobs += 1;
  const job = jobs;
  const result = new Promise<T>((done, failed) => {
    pending.set(job, { done, failed });
    opened.ref();
    opened.postMessage({ job, module: module.href, name: work.name, argument });
  });
  return result.catch(() => work(argument));
}
