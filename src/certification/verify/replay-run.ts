import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockedSignal, createRedactor, type Exchange, NotApplicableSignal } from '../../http/index.js';
import { recordedFile, unpacked } from '../../reports/index.js';
import { decodeRecorded, readyTarget, type RunEvidence } from '../../run/index.js';
import type { Remedy, SettingName, Target } from '../../settings/index.js';
import { createReplayClient, type ReplayClient } from './replay-client.js';

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

/**
 * The evidence in a folder in place of a target; `knows` says whether the value of a secret setting is known, or was never set: what needs one
 * that is not is `takenAsRecorded`.
 */
export function replayOf(
  { secrets }: Target,
  exchanges: readonly Exchange[],
  evidenceDir: string,
  knows: (secret: SettingName) => boolean,
): RunEvidence & { readonly client: ReplayClient; readonly takenAsRecorded: readonly string[] } {
  const redactor = createRedactor(secrets);
  const client = createReplayClient(exchanges, redactor);
  const takenAsRecorded: string[] = [];
  return {
    client,
    redactor,
    takenAsRecorded,
    exchanges: () => Promise.resolve(client.soFar()),
    async recorded<T>(name: string, make: () => Promise<T>, needed?: readonly SettingName[]): Promise<T> {
      await Promise.resolve();
      if (needed?.every(knows)) return make();
      if (needed !== undefined) takenAsRecorded.push(name);
      const text = recordedText(evidenceDir, name);
      // Version 0.1.0 did not record it.
      if (text === null && name === 'target state') return readyTarget as T;
      if (text === null) throw new BlockedSignal(`the evidence holds no record of ${name}`);
      return unlessSignal(decodeRecorded(text)) as T;
    },
  };
}
