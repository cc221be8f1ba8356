import { setTimeout as wait } from 'node:timers/promises';
import { ApiFailure, crash } from './api-failure.js';
import type { Outcome, Remembered } from './idempotency-keys.js';
import type { World } from './world.js';

/** What a create does, and how it is shown again. All are called at most once per request. */
export interface Creation {
  readonly route: 'leads' | 'units';
  readonly tenant: string;
  readonly key: string | undefined;
  /** The unit that a lead is for. */
  readonly unit?: string;
  /** The address form that it came through. */
  readonly form?: string;
  readonly fingerprint: string;
  /** Validates and stores; throws the refusal. */
  make(): Outcome;
  /** The outcome of an earlier create as it is to be shown now. */
  show(outcome: Outcome): Outcome;
  /** This request's body under another record's id, not stored. */
  imagine(id: string): Outcome;
  /** Puts this request's body into the stored record. */
  overwrite(outcome: Outcome): Outcome;
  /** Whether only the phone differs from what was stored under the id. */
  otherPhone(outcome: Outcome): boolean;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function checkKey(key: string | undefined, world: World): void {
  const { has, dial } = world.behaviour;
  if (key === undefined) {
    if (dial('key-required') === 'yes') throw new ApiFailure(400, 'key_missing_for_create', 'Send an Idempotency-Key.');
    return;
  }
  if (has('crash-on-long-key') && key.length > 255) throw crash();
  const format = has('key-not-uuid-accepted') ? 'any' : dial('key-format');
  if (format === 'uuid-v4' && key[14] !== '4')
    throw new ApiFailure(400, 'key_malformed', 'The Idempotency-Key has to be a UUID of version 4.');
  if (format !== 'any' ? !uuid.test(key) : key.length === 0 || key.length > 255)
    throw new ApiFailure(400, 'key_malformed', 'The Idempotency-Key has to be a UUID.');
}

function conflict(world: World): ApiFailure {
  const dial = world.behaviour.dial('conflict');
  const status = world.behaviour.has('other-body-403') ? 403 : dial === 'first' ? 409 : Number(dial);
  return new ApiFailure(status, 'key_conflict', 'The Idempotency-Key was used with another body.');
}

/** How long a create takes before it is done; nothing, but where a race is to be seen. */
function workMs(creation: Creation, world: World): number {
  const { has, dial } = world.behaviour;
  if (creation.key === undefined) return 0;
  if (has('race-of-two-ms')) return 2;
  if (has('race-makes-units') && creation.route === 'units') return 5;
  return has('race-of-five-ms') ||
    has('race-shows-phantom') ||
    has('race-crashes') ||
    has('in-progress-403') ||
    dial('in-progress') === '409'
    ? 5
    : 0;
}

/** Creates at most once for each tenant, route and key, and answers a replay with what was made. */
export async function createOnce(creation: Creation, world: World): Promise<Outcome> {
  const { has } = world.behaviour;
  const { key } = creation;
  checkKey(key, world);
  if (key === undefined || has('key-ignored') || (has('unit-key-ignored') && creation.route === 'units'))
    return creation.make();
  const perUnit = has('key-kept-per-unit') ? ` ${creation.unit ?? ''}` : '';
  const perForm = has('second-form-keys-apart') ? ` ${creation.form ?? ''}` : '';
  const name = world.remembered.nameOf(creation.tenant, creation.route, `${key}${perUnit}${perForm}`);
  const known = world.remembered.get(name);
  if (known !== undefined) return replay(known, name, creation, world);
  const entry: Remembered = {
    tenant: creation.tenant,
    fingerprint: creation.fingerprint,
    pending: null,
    outcome: null,
    refusal: null,
    poisoned: false,
    replays: 0,
  };
  const racing =
    has('race-of-five-ms') || has('race-of-two-ms') || (has('race-makes-units') && creation.route === 'units');
  const work = run(entry, name, creation, world);
  if (!racing) {
    entry.pending = work;
    world.remembered.set(name, entry);
  }
  return work;
}

async function run(entry: Remembered, name: string, creation: Creation, world: World): Promise<Outcome> {
  const { has, dial } = world.behaviour;
  try {
    const ms = workMs(creation, world);
    // A turn of its own, so that the entry is known to others before anything is decided.
    if (ms > 0) await wait(ms);
    else await Promise.resolve();
    const outcome = creation.make();
    entry.outcome = outcome;
    world.remembered.set(name, entry);
    return outcome;
  } catch (error) {
    if (error instanceof ApiFailure && error.status < 500 && dial('refusal-burns-key') === 'yes') entry.refusal = error;
    else if (error instanceof ApiFailure && has('refusal-poisons-key')) entry.poisoned = true;
    else world.remembered.delete(name);
    throw error;
  } finally {
    entry.pending = null;
  }
}

async function replay(entry: Remembered, name: string, creation: Creation, world: World): Promise<Outcome> {
  const { has, dial } = world.behaviour;
  const foreign = entry.tenant !== creation.tenant;
  if (foreign && has('key-blocks-other-tenant')) throw conflict(world);
  const same = foreign || has('key-shared-across-routes') || entry.fingerprint === creation.fingerprint;
  if (entry.pending !== null) {
    if (has('race-crashes')) throw crash();
    if (has('race-shows-phantom')) return creation.imagine('lead_0');
    if (has('in-progress-403'))
      throw new ApiFailure(403, 'key_in_progress', 'A request with this Idempotency-Key is in progress.');
    if (dial('in-progress') === '409')
      throw new ApiFailure(409, 'key_in_progress', 'A request with this Idempotency-Key is in progress.');
    try {
      await entry.pending;
    } catch {
      // It was refused: this request is then the first with its key, unless the refusal is remembered.
    }
    const now = world.remembered.get(name);
    if (now === undefined) return createOnce(creation, world);
  }
  if (entry.refusal !== null) throw same || dial('conflict') === 'first' ? entry.refusal : conflict(world);
  if (entry.poisoned) return creation.imagine('lead_poisoned');
  if (entry.outcome === null) return createOnce(creation, world);
  if (!same) return otherBody(entry, entry.outcome, name, creation, world);
  if (has('replay-refused')) throw conflict(world);
  entry.replays += 1;
  if (has('third-replay-creates') && entry.replays === 3) return creation.make();
  return distortReplay(creation.show(entry.outcome), creation, world);
}

function otherBody(entry: Remembered, outcome: Outcome, name: string, creation: Creation, world: World): Outcome {
  const { has, dial } = world.behaviour;
  if (has('other-body-second-lead') || (has('other-phone-second-lead') && creation.otherPhone(outcome)))
    return creation.make();
  if (has('other-body-shown')) return creation.imagine(outcome.record.id);
  if (has('other-body-overwrites')) {
    entry.outcome = creation.overwrite(outcome);
    return entry.outcome;
  }
  if (has('refused-body-is-stored') || (has('refused-unit-is-stored') && creation.route === 'units')) creation.make();
  if (has('refused-name-is-stored')) creation.overwrite(outcome);
  if (has('conflict-forgets-key')) world.remembered.delete(name);
  if (dial('conflict') === 'first' && !has('other-body-403')) return creation.show(outcome);
  throw conflict(world);
}

function distortReplay(outcome: Outcome, creation: Creation, world: World): Outcome {
  const { has } = world.behaviour;
  if (creation.route !== 'leads') return outcome;
  if (has('replay-fresh-id')) return { ...outcome, record: { ...outcome.record, id: creation.imagine('').record.id } };
  if (has('replay-fresh-time')) {
    const now = new Date().toISOString();
    return { ...outcome, record: Object.assign({}, outcome.record, { createdAt: now, updatedAt: now }) };
  }
  if (has('replay-other-status')) return { ...outcome, status: 200 };
  if (has('replay-without-source')) return { ...outcome, record: Object.assign({}, outcome.record, { source: null }) };
  return has('replay-loses-phone')
    ? { ...outcome, record: Object.assign({}, outcome.record, { phone: '+10000000000' }) }
    : outcome;
}
