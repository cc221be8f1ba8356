import { randomBytes } from 'node:crypto';
import { createClient } from '../http/client.js';
import type { Exchange } from '../http/exchange.js';
import { createPacer } from '../http/pacer.js';
import { BlockedSignal, NotApplicableSignal } from '../http/signals.js';
import { createRedactor } from '../http/redactor.js';
import { createTransport } from '../http/transport.js';
import type { Target } from '../target/target.js';
import { version } from '../version.js';
import { loadContract } from './load-contract.js';
import { createMemo } from './memo.js';
import { encodeRecorded } from './recorded.js';
import type { Depth, HookWiring, Run } from './run.js';

/** What a run may be told; all of it has a sensible default. */
export interface RunOptions {
  readonly seed?: number;
  readonly nonce?: string;
  readonly depth?: Depth;
  readonly path?: string | null;
  /** Called with every exchange once, already redacted. */
  readonly record?: (exchange: Exchange) => void;
  /** Keeps what did not come as an exchange, encoded and redacted. */
  readonly keep?: (name: string, encoded: string) => void;
  /** Exchanges of this run that another process recorded. */
  readonly earlier?: () => Promise<readonly Exchange[]>;
  /** Sent with every request; names the suite and its version unless given. */
  readonly userAgent?: string;
  /** First sequence number less one. */
  readonly offset?: number;
  readonly pacingBudgetMs?: number;
  /** Most requests that the property checks may spend together. */
  readonly requestBudget?: number;
  readonly hooks?: HookWiring;
}

/** Opens a run over one target; nothing is sent before a check asks. */
export function openRun(target: Target, options: RunOptions = {}): Run {
  const redactor = createRedactor();
  for (const [name, value] of target.secrets) redactor.add(name, value);
  const exchanges: Exchange[] = [];
  let seq = options.offset ?? 0;
  const transport = createTransport();
  const depth = options.depth ?? 'certify';
  const userAgent = options.userAgent ?? `dealership-conformance/${version}`;
  const client = createClient({
    transport,
    redactor,
    pacer: createPacer(options.pacingBudgetMs ?? (depth === 'gate' ? 130_000 : 600_000)),
    record(exchange) {
      exchanges.push(exchange);
      options.record?.(exchange);
    },
    userAgent,
    nextSeq: () => (seq += 1),
  });
  const memo = createMemo();
  return {
    target,
    client,
    redactor,
    userAgent,
    seed: options.seed ?? target.seed ?? randomBytes(4).readUInt32BE(0),
    nonce: options.nonce ?? randomBytes(12).toString('hex'),
    depth,
    path: options.path ?? null,
    requestBudget: options.requestBudget ?? null,
    hooks: options.hooks ?? null,
    exchanges: async () => [...((await options.earlier?.()) ?? []), ...exchanges],
    contract: () => memo('contract', () => loadContract(target, client)),
    once: memo,
    recorded: (name, make) =>
      memo(`recorded ${name}`, async () => {
        try {
          const value = await make();
          options.keep?.(name, redactor.text(encodeRecorded(value)));
          return value;
        } catch (error) {
          const signal =
            error instanceof NotApplicableSignal ? 'not-applicable' : error instanceof BlockedSignal ? 'blocked' : null;
          if (signal !== null)
            options.keep?.(name, redactor.text(JSON.stringify({ $signal: signal, reason: (error as Error).message })));
          throw error;
        }
      }),
    observations: [],
    close: () => transport.close(),
  };
}
