import { join } from 'node:path';
import { readSettings } from '../cli/index.js';
import { openTarget } from '../embedded/index.js';
import { openEvidence, readEvidence } from '../reports/index.js';
import { createTraceContext, type Exchange } from '../http/index.js';
import { openRun, rerunInvocation, type Run } from '../run/index.js';
import { outFolder, sharedNonce, sharedSeed } from './shared.js';

/** Sequence numbers of one worker do not meet another's. */
const perWorker = 1_000_000;

/** One run for a Playwright worker: seed and nonce are shared with all workers, exchanges go to the common evidence. */
export async function openWorkerRun(workerIndex: number): Promise<Run> {
  const settings = readSettings({});
  const opened = await openTarget(settings);
  const folder = join(outFolder(), 'evidence');
  const evidence = openEvidence(folder);
  const offset = workerIndex * perWorker;
  const run = openRun(opened.target, {
    seed: opened.target.seed ?? sharedSeed(),
    nonce: `${sharedNonce()}${workerIndex}`,
    trace: createTraceContext(sharedNonce(), offset),
    offset,
    invocation: rerunInvocation(outFolder()),
    ...(opened.register === null ? {} : { hooks: { register: opened.register, waitSeconds: 0 } }),
    record: (exchange) => evidence.record(exchange),
    earlier: async () => {
      const others: Exchange[] = [];
      for await (const exchange of readEvidence(folder))
        if (Math.floor(exchange.seq / perWorker) !== workerIndex) others.push(exchange);
      return others;
    },
  });
  return {
    ...run,
    close: async () => {
      await run.close();
      await evidence.close();
      await opened.close();
    },
  };
}
