import { join } from 'node:path';
import { readSettings } from '../cli/index.js';
import { openTarget } from '../embedded/index.js';
import { openEvidence, readEvidence } from '../reports/index.js';
import { createTraceContext, type Exchange } from '../http/index.js';
import { rerunInvocation, type Run, withRun } from '../run/index.js';
import { outFolder, sharedNonce, sharedSeed } from './shared.js';

/** Sequence numbers of one worker do not meet another's. */
const perWorker = 1_000_000;

/** The run of a Playwright worker, for as long as it is used: seed and nonce are shared with all workers, exchanges go to the common evidence. */
export async function withWorkerRun(workerIndex: number, use: (run: Run) => Promise<void>): Promise<void> {
  const opened = await openTarget(readSettings({}));
  const folder = join(outFolder(), 'evidence');
  const evidence = openEvidence(folder);
  const offset = workerIndex * perWorker;
  const options = {
    seed: opened.target.seed ?? sharedSeed(),
    nonce: `${sharedNonce()}${workerIndex}`,
    trace: createTraceContext(sharedNonce(), offset),
    offset,
    invocation: rerunInvocation(outFolder()),
    hooks: opened.register === null ? null : { register: opened.register, waitSeconds: 0 },
    record: (exchange: Exchange) => evidence.record(exchange),
    earlier: async () => {
      const others: Exchange[] = [];
      for await (const exchange of readEvidence(folder))
        if (Math.floor(exchange.seq / perWorker) !== workerIndex) others.push(exchange);
      return others;
    },
  };
  await withRun(opened.target, options, use);
  await evidence.close();
  await opened.close();
}
