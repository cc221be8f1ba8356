import { setTimeout as wait } from 'node:timers/promises';
import { ApiFailure } from '../api-failure.js';
import type { CreateOutcome, Creation, Remembered } from '../instance.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function checkKey({ key, exchange }: Creation): void {
  const { option } = exchange.world;
  if (key === undefined) {
    if (option('key-required') === 'yes')
      throw new ApiFailure(400, 'key_missing_for_create', 'Send an Idempotency-Key.');
    return;
  }
  const format = option('key-format');
  if (format === 'uuid-v4' && key[14] !== '4')
    throw new ApiFailure(400, 'key_malformed', 'The Idempotency-Key has to be a UUID of version 4.');
  if (format !== 'any' ? !uuid.test(key) : key.length === 0 || key.length > 255)
    throw new ApiFailure(400, 'key_malformed', 'The Idempotency-Key has to be a UUID.');
}

/** The refusal of a key that was used with another body. */
export function keyConflict({ exchange }: Creation): ApiFailure {
  const conflict = exchange.world.option('conflict');
  const status = conflict === 'first' ? 409 : Number(conflict);
  return new ApiFailure(status, 'key_conflict', 'The Idempotency-Key was used with another body.');
}

/** The refusal of a key whose create is done. */
function keyUsed(status: number): ApiFailure {
  return new ApiFailure(status, 'key_used', 'A request with this Idempotency-Key was processed already.');
}

/** The refusal of a key whose create is in progress. */
export function keyInProgress(status = 409): ApiFailure {
  return new ApiFailure(status, 'key_in_progress', 'A request with this Idempotency-Key is in progress.');
}

/** Creates at most once for each tenant, route and key, and answers a replay with what was made. */
export async function createOnce(creation: Creation): Promise<CreateOutcome> {
  const { option, apply, remembered } = creation.exchange.world;
  const { tenant, route, key, fingerprint } = creation;
  checkKey(creation);
  if (key === undefined) return creation.make();
  const name = apply('keyName', [tenant, route, key].join('\n'), creation);
  if (name === null) return creation.make();
  const known = remembered.get(name);
  if (known !== undefined) return replay(known, name, creation);
  const entry: Remembered = { tenant, fingerprint, pending: null, outcome: null, refusal: null };
  const ms = option('in-progress') === '409' ? 5 : 0;
  const work = apply('work', { ms, remembered: true }, creation);
  const done = run(entry, name, creation, work.ms);
  if (work.remembered) {
    entry.pending = done;
    remembered.set(name, entry);
  }
  return done;
}

async function run(entry: Remembered, name: string, creation: Creation, ms: number): Promise<CreateOutcome> {
  const { option, remembered } = creation.exchange.world;
  try {
    // A turn of its own, so that the entry is known to others before anything is decided.
    if (ms > 0) await wait(ms);
    else await Promise.resolve();
    const outcome = creation.make();
    entry.outcome = outcome;
    remembered.set(name, entry);
    return outcome;
  } catch (error) {
    const isKept = option('refusal-burns-key') === 'yes';
    if (error instanceof ApiFailure && error.status < 500 && isKept) entry.refusal = error;
    else remembered.delete(name);
    throw error;
  } finally {
    entry.pending = null;
  }
}

async function replay(entry: Remembered, name: string, creation: Creation): Promise<CreateOutcome> {
  const { option, apply, remembered } = creation.exchange.world;
  const same = entry.fingerprint === creation.fingerprint;
  if (entry.pending !== null) {
    const meanwhile = apply('inProgress', null, creation);
    if (meanwhile !== null) return meanwhile;
    if (option('in-progress') === '409') throw keyInProgress();
    try {
      await entry.pending;
    } catch {
      // It was refused: this request is then the first with its key, unless the refusal is remembered.
    }
    if (remembered.get(name) === undefined) return createOnce(creation);
  }
  const other = apply('replay', null, entry, same, creation, name);
  if (other !== null) return other;
  const isShown = same || option('conflict') === 'first';
  if (entry.refusal !== null) throw isShown ? entry.refusal : keyConflict(creation);
  if (entry.outcome === null) return createOnce(creation);
  if (!isShown) throw keyConflict(creation);
  const refusal = Number(option('replay'));
  if (refusal > 0) throw keyUsed(refusal);
  return creation.show(entry.outcome);
}
