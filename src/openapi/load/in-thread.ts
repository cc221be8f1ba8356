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
 * Calls an exported function of a module in a thread of its own, so that requests go on meanwhile. What it is given and what it gives are
 * plain data. Sources that a test runner compiles are called in this thread, as no other one could load them.
 */
export async function inThread<T>(module: string, name: string, argument: unknown): Promise<T> {
  if (module.endsWith('.ts')) {
    const exported = (await import(module)) as Record<string, (given: unknown) => T | Promise<T>>;
    return (exported[name] as (given: unknown) => Promise<T>)(argument);
  }
  thread ??= openThread();
  const opened = thread;
  jobs += 1;
  const job = jobs;
  return new Promise((done, failed) => {
    pending.set(job, { done, failed });
    opened.ref();
    opened.postMessage({ job, module, name, argument });
  });
}
