import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createActivity,
  createClient,
  createPacer,
  createRedactor,
  createTraceContext,
  createTransport,
  type Exchange,
  UnjudgedSignal,
} from '../http/index.js';
import { addressForms, headerMark, type Target, urlIn } from '../settings/index.js';
import { version } from '../version.js';
import { loadContract } from './load-contract.js';
import { createMemo } from './memo.js';
import { encodeRecorded } from './recorded.js';
import { replayLine, rerunInvocation, type Invocation } from './replay.js';
import type { Run } from './run.js';
import { probeTarget } from './target-state.js';

/** Options of a run: what it has that is not drawn, or as usual, and how it is recorded. */
export interface RunOptions extends Partial<
  Pick<
    Run,
    | 'activity'
    | 'depth'
    | 'hooks'
    | 'nonce'
    | 'path'
    | 'patience'
    | 'requestBudget'
    | 'scenario'
    | 'seed'
    | 'set'
    | 'trace'
    | 'userAgent'
  >
> {
  /** How one of its checks is run again; from the report in `reports` unless given. */
  readonly invocation?: Invocation;
  /** Called with every exchange once, already redacted. */
  readonly record?: (exchange: Exchange) => void;
  /** Keeps what did not come as an exchange, encoded and redacted. */
  readonly keep?: (name: string, encoded: string) => void;
  /** Exchanges of this run that another process recorded. */
  readonly earlier?: () => Promise<readonly Exchange[]>;
  /** First sequence number less one. */
  readonly offset?: number;
  readonly pacingBudgetMs?: number;
  /** Most requests a second, but for load; as many as answers allow unless given. */
  readonly rate?: number;
  /** How long to wait for a target that is starting, in seconds; none unless given. */
  readonly waitReadySeconds?: number;
  /** How long a target may be away in mid-run before it counts as gone; half a minute unless given. */
  readonly outageMs?: number;
  /** Judges this in place of the target's answers: nothing is sent. */
  readonly evidence?: RunEvidence;
  /** Calls the run off when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** What an earlier run recorded. */
export type RunEvidence = Pick<Run, 'client' | 'exchanges' | 'recorded' | 'redactor'>;

/** A run over one target for as long as some work takes. */
export async function withRun<T>(target: Target, options: RunOptions, work: (run: Run) => Promise<T>): Promise<T> {
  const run = openRun(target, options);
  try {
    return await work(run);
  } finally {
    await run.close();
  }
}

/** Opens a run over one target, which somebody else closes; nothing is sent before a check asks. */
export function openRun(target: Target, options: RunOptions = {}): Run {
  const { evidence } = options;
  const redactor = evidence?.redactor ?? createRedactor(target.secrets);
  const exchanges: Exchange[] = [];
  let seq = options.offset ?? 0;
  const transport = createTransport(target.network);
  const nonce = options.nonce ?? randomBytes(12).toString('hex');
  const trace = options.trace ?? createTraceContext(nonce);
  const depth = options.depth ?? 'certify';
  const userAgent = options.userAgent ?? `dealership-conformance/${version}`;
  const off = new AbortController();
  const callOff = (): void => off.abort();
  if (options.signal?.aborted === true) callOff();
  options.signal?.addEventListener('abort', callOff);
  const activity = options.activity ?? createActivity();
  const pause =
    (words: string) =>
    (ms: number): Promise<unknown> => {
      const untilMs = performance.now() + ms;
      return activity.during(
        () => `${words} ${Math.ceil((untilMs - performance.now()) / 1000)} s`,
        () => sleep(ms, undefined, { signal: off.signal }),
      );
    };
  const client =
    evidence?.client ??
    createClient({
      transport,
      redactor,
      pacer: createPacer(
        options.pacingBudgetMs ?? (depth === 'gate' ? 130_000 : 600_000),
        pause('the service answered 429; waits'),
      ),
      record(exchange) {
        exchanges.push(exchange);
        activity.requests += 1;
        if (exchange.response?.status === 429) activity.refusals += 1;
        options.record?.(exchange);
      },
      userAgent,
      trace,
      added: {
        headers: target.headers,
        markOf: headerMark,
        origins: [...addressForms(target).map((form) => urlIn(form, '', target)), target.sandboxUrl].flatMap((url) =>
          url === null ? [] : [new URL(url).origin],
        ),
      },
      nextSeq: () => (seq += 1),
      outage: { mostMs: options.outageMs, wait: pause('the service is away; looks again in') },
      signal: off.signal,
      ...(options.rate === undefined ? {} : { rate: options.rate }),
    });
  const memo = createMemo();
  const seed = options.seed ?? target.seed ?? randomBytes(4).readUInt32BE(0);
  const invocation = options.invocation ?? rerunInvocation('reports');
  const run: Run = {
    target,
    client,
    redactor,
    activity,
    userAgent,
    seed,
    nonce,
    trace,
    depth,
    set: options.set ?? new Date().toISOString().slice(0, 7),
    patience: options.patience ?? 1,
    scenario: options.scenario ?? null,
    path: options.path ?? null,
    requestBudget: options.requestBudget ?? null,
    replay: (id) => replayLine(invocation, seed, id, (text) => redactor.text(text)),
    hooks: options.hooks ?? null,
    exchanges: evidence?.exchanges ?? (async () => [...((await options.earlier?.()) ?? []), ...exchanges]),
    targetState: () =>
      run.recorded('target state', () =>
        activity.during('waits for the service to answer', () =>
          probeTarget(target, client, options.waitReadySeconds ?? 0),
        ),
      ),
    contract: () => memo('contract', () => loadContract(target, client)),
    once: memo,
    recorded: (name, make, secrets) =>
      memo(`recorded ${name}`, async () => {
        if (evidence !== undefined) return evidence.recorded(name, make, secrets);
        try {
          const value = await make();
          options.keep?.(name, redactor.text(encodeRecorded(value)));
          return value;
        } catch (error) {
          if (error instanceof UnjudgedSignal) {
            const { verdict, message, remedy } = error;
            options.keep?.(name, redactor.text(JSON.stringify({ $signal: verdict, reason: message, remedy })));
          }
          throw error;
        }
      }),
    parallel: 1,
    observations: [],
    driven: null,
    calledOff: off.signal,
    callOff,
    close() {
      options.signal?.removeEventListener('abort', callOff);
      return transport.close();
    },
  };
  return run;
}
