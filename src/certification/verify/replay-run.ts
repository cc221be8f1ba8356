import type { Remedy, SettingName, Target } from '../../settings/index.js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BlockedSignal,
  createActivity,
  createRedactor,
  createTraceContext,
  type Exchange,
  NotApplicableSignal,
} from '../../http/index.js';
import { recordedFile, unpacked } from '../../reports/index.js';
import {
  createMemo,
  decodeRecorded,
  loadContract,
  readyTarget,
  type Run,
  type RunFile,
  type TargetState,
  type WebhookSetup,
} from '../../run/index.js';
import { firstSet } from '../requirement-sets.js';
import { createReplayClient, type ReplayClient } from './replay-client.js';

/** The input for grading a run again. */
export interface ReplayParts extends Pick<RunFile, 'seed' | 'nonce' | 'depth' | 'set' | 'requestBudget'> {
  readonly target: Target;
  readonly exchanges: readonly Exchange[];
  readonly hooks: WebhookSetup | null;
  /** The folder with the values that did not come as exchanges. */
  readonly evidenceDir: string;
  /** Whether the value of a secret setting is known, or was never set. */
  readonly knows: (secret: SettingName) => boolean;
}

/** A run whose every input is the evidence. */
export interface ReplayRun extends Run {
  readonly client: ReplayClient;
  /** Recorded values that were accepted unchanged, because the secrets to compute them again are missing. */
  readonly takenAsRecorded: readonly string[];
}

/** The encoded text of a recorded value, packed or plain; null where the evidence has none. */
function recordedText(dir: string, name: string): string | null {
  for (const file of [recordedFile(name), `${recordedFile(name)}.gz`]) {
    const path = join(dir, file);
    if (existsSync(path)) return unpacked(file, readFileSync(path), mostRecordedBytes).toString('utf8');
  }
  return null;
}

const mostRecordedBytes = 2 ** 29;

/** Throws again what ended the making of a recorded value. */
function unlessSignal(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$signal' in value)) return value;
  const { $signal, reason = '', remedy } = value as { $signal: unknown; reason?: string; remedy?: Remedy };
  throw Object.assign(new ($signal === 'not-applicable' ? NotApplicableSignal : BlockedSignal)(reason), { remedy });
}

/** Opens a run over evidence; it neither sends nor listens. */
export function openReplayRun(parts: ReplayParts): ReplayRun {
  const { target, seed, nonce, depth, requestBudget, hooks } = parts;
  const redactor = createRedactor();
  for (const [name, value] of target.secrets) redactor.add(name, value);
  const client = createReplayClient(parts.exchanges, redactor);
  const memo = createMemo();
  const takenAsRecorded: string[] = [];
  return {
    target,
    client,
    redactor,
    activity: createActivity(),
    userAgent: '',
    seed,
    nonce,
    trace: createTraceContext(nonce),
    depth,
    set: parts.set ?? firstSet,
    // All that was waited for is recorded.
    patience: 0,
    scenario: null,
    path: null,
    requestBudget,
    calledOff: new AbortController().signal,
    callOff: () => undefined,
    replay: () => '',
    hooks,
    exchanges: () => Promise.resolve(client.soFar()),
    targetState: () =>
      Promise.resolve(
        (decodeRecorded(recordedText(parts.evidenceDir, 'target state') ?? 'null') as TargetState | null) ??
          readyTarget,
      ),
    contract: () => memo('contract', () => loadContract(target, client)),
    once: memo,
    takenAsRecorded,
    recorded: <T>(name: string, make: () => Promise<T>, secrets?: readonly SettingName[]): Promise<T> =>
      memo(`recorded ${name}`, async () => {
        await Promise.resolve();
        if (secrets?.every(parts.knows)) return make();
        if (secrets !== undefined) takenAsRecorded.push(name);
        const text = recordedText(parts.evidenceDir, name);
        if (text === null) throw new BlockedSignal(`the evidence holds no record of ${name}`);
        return unlessSignal(decodeRecorded(text)) as T;
      }),
    parallel: 1,
    observations: [],
    driven: null,
    close: () => Promise.resolve(),
  };
}
