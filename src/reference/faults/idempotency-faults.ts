import { ApiFailure } from '../api-failure.js';
import { type CreateOutcome, type Creation, type FaultHooks, type Remembered } from '../instance.js';
import { keyConflict, keyInProgress } from '../idempotency/create-once.js';
import type { Lead } from '../data/records.js';
import { freshId } from '../data/tenant-store.js';
import { anyStatus, before, crash, status, success, vacuous, type Json } from './change.js';
import { fault, faultsOf, type Fault } from './fault.js';

const leadsOf = ({ exchange, tenant }: Creation) => exchange.world.tenantOf(tenant).leads;
const isUnit = ({ route }: Creation): boolean => route === 'units';
const isForeign = (entry: Remembered, { tenant }: Creation): boolean => entry.tenant !== tenant;

/** Remembers creates by another name; null for not at all. */
const named = (name: (creation: Creation, key: string) => readonly string[] | null): FaultHooks => ({
  keyName: (usual, creation) => (usual === null ? null : (name(creation, creation.key ?? '')?.join('\n') ?? null)),
});
/** Compares another form of the key. */
const shortened = (change: (key: string) => string): FaultHooks =>
  named(({ tenant, route }, key) => [tenant, route, change(key)]);
const kept = (change: { count?: number; ms?: number }): FaultHooks => ({
  keysKept: (usual) => ({ ...usual, ...change }),
});
/** Takes some time to create, in which the key is known or not. */
const slow = (ms: number, remembered: boolean, when: (creation: Creation) => boolean = () => true): FaultHooks => ({
  work: (work, creation) => (when(creation) ? { ms, remembered } : work),
});
/** Answers a replay with the same body otherwise. */
const replayed = (change: (outcome: CreateOutcome, creation: Creation) => CreateOutcome | null): FaultHooks => ({
  replay: (_, { outcome }, same, creation) => (same && outcome !== null ? change(outcome, creation) : null),
});
/** Shows a replayed lead otherwise; what it gives is added. */
const shown = (more: () => object): FaultHooks =>
  replayed((outcome, creation) => {
    const { record, ...rest } = creation.show(outcome);
    return { ...rest, record: isUnit(creation) ? record : { ...record, ...more() } };
  });
/** Answers the same key with another body otherwise; null for what an honest service does. */
const otherBody = (
  change: (outcome: CreateOutcome, creation: Creation, entry: Remembered) => CreateOutcome | null,
): FaultHooks => ({
  replay: (_, entry, same, creation) =>
    !same && entry.outcome !== null ? change(entry.outcome, creation, entry) : null,
});

/** Stores this request's lead under the id of an earlier one, or only some of it. */
function overwrite(known: CreateOutcome, creation: Creation, only: 'all' | 'name' = 'all'): CreateOutcome {
  const changed = creation.build(known.record.id);
  const { name } = changed.record as Lead;
  const lead = only === 'name' ? { ...(known.record as Lead), name } : (changed.record as Lead);
  if (!isUnit(creation)) leadsOf(creation).replace(lead);
  return changed;
}

/** Answers a replay of a lead with a success that shows nothing of it. */
function replaysWithoutData(): FaultHooks {
  const replays = new WeakSet<object>();
  return {
    ...replayed((_, { exchange }) => (replays.add(exchange), null)),
    ...success('createLead', (answer, exchange) => {
      if (replays.has(exchange)) (answer.body as Json)['data'] = {};
    }),
  };
}

/** Makes another lead at the third replay of a key. */
function thirdReplayCreates(): FaultHooks {
  const replays = new WeakMap<CreateOutcome, number>();
  return replayed((outcome, creation) => {
    const count = (replays.get(outcome) ?? 0) + 1;
    replays.set(outcome, count);
    return count === 3 ? creation.make() : null;
  });
}

/** Faults of idempotency keys. */
// prettier-ignore
export const idempotencyFaults: readonly Fault[] = [
  ...faultsOf('IDEM-01', named)([
    ['key-ignored', 'a replay makes another lead', () => null],
    ['key-ignored-beyond-ascii', 'a lead whose name has a letter beyond ASCII is made again by its replay',
      ({ tenant, route, body }, key) => (/[^\0-\x7f]/.test(JSON.stringify(body)) ? null : [tenant, route, key])],
    ['key-ignored-for-long-bodies', 'a lead of more than 400 bytes is made again by its replay',
      ({ tenant, route, exchange }, key) => (Number(exchange.headers['content-length']) > 400 ? null : [tenant, route, key])],
    ['key-in-capitals-ignored', 'a lead whose key is in capitals is made again by its replay',
      ({ tenant, route }, key) => (key === key.toLowerCase() ? [tenant, route, key] : null)],
    ['key-ignored-with-source', 'a lead with a source is made again by its replay',
      ({ tenant, route, body }, key) => (route === 'leads' && (body as Json | null)?.['source'] !== undefined ? null : [tenant, route, key])],
    ['second-form-keys-apart', 'each address form remembers keys of its own', ({ tenant, route, exchange }, key) => [tenant, route, key, exchange.surface]],
  ]),
  ...faultsOf('IDEM-01')([
    ['replay-fresh-id', 'a replay shows the same lead under a fresh id', shown(() => ({ id: freshId('lead') }))],
    ['replay-refused', 'a replay is refused with a conflict (warned of)', {}, { needs: { replay: '409' }, warns: true }],
    ['refused-replay-is-stored', 'a replay is refused, and its lead stored again all the same',
      replayed((_, creation) => { if (!isUnit(creation)) creation.make(); throw keyConflict(creation); })],
    ['replay-busy', 'a replay of a lead is answered with 503, however often it is sent', replayed((_, creation) => {
      if (isUnit(creation)) return null;
      throw new ApiFailure(503, 'unavailable', 'try again later');
    }), { needs: anyStatus }],
    ['second-form-refuses-replays', 'a replay is refused under the second address form only (warned of)', replayed((_, creation) => {
      if (creation.exchange.second && !isUnit(creation)) throw keyConflict(creation);
      return null;
    }), { warns: true }],
    // A replay within the millisecond of the create is fresh, too.
    ['replay-fresh-time', 'a replay shows a fresh creation time (warned of)', shown(() => ({ createdAt: new Date(Date.now() + 1).toISOString() })), { warns: true }],
    ['replay-other-status', 'a replay answers 200 where the create answered 201 (warned of)', {
      ...replayed((outcome, creation) => (isUnit(creation) ? null : { ...creation.show(outcome), status: 200 })),
      document: ({ paths }) => {
        for (const path of ['/api/v1/leads', '/api/v1/units']) {
          const { responses } = paths[path]?.['post'] as { responses: Json };
          responses['200'] = responses['201'];
        }
      },
    }, { needs: { 'create-status': '201' }, warns: true }],
    ['replay-without-source', 'a replay shows the lead without its source', shown(() => ({ source: null }))],
    ['replay-without-data', 'a replay is answered with a success that shows nothing of the lead', replaysWithoutData, { needs: vacuous }],
  ]),
  ...faultsOf('IDEM-02', kept)([
    ['key-kept-for-twelve', 'only the last 12 keys are remembered', { count: 12 }],
    ['key-kept-for-forty', 'only the last 40 keys are remembered', { count: 40 }],
    ['key-kept-for-two-hundred', 'only the last 200 keys are remembered', { count: 200 }, { depth: 'certify' }],
    ['key-kept-for-a-second', 'keys are remembered for one second', { ms: 1_000 }, { depth: 'certify' }],
  ]),
  ...faultsOf('IDEM-02')([
    ['refused-unit-replay-is-stored', 'the replay of the creation of a unit is refused, and a second unit stored all the same',
      replayed((_, creation) => { if (!isUnit(creation)) return null; creation.make(); throw keyConflict(creation); })],
    ['unit-key-ignored', 'creating a unit knows no idempotency', named((creation, key) => (isUnit(creation) ? null : [creation.tenant, 'leads', key]))],
  ]),
  ...faultsOf('IDEM-03')([
    ['race-of-two-ms', 'two requests with one key within 2 ms make two leads', slow(2, false)],
    ['race-shows-phantom', 'a request that meets its key in progress is shown a lead that is never stored',
      { ...slow(5, true), inProgress: (_, creation) => creation.build(freshId('lead')) }],
    ['race-crashes', 'a request that meets its key in progress answers 500', { ...slow(5, true), inProgress: () => { throw crash(); } }, { needs: anyStatus }],
  ]),
  ...faultsOf('IDEM-04', otherBody)([
    ['other-body-shown', 'the same key with another body shows the first lead with the second body', ({ record }, creation) => creation.build(record.id)],
    ['other-body-overwrites', 'the same key with another body changes the first lead', (outcome, creation, entry) => (entry.outcome = overwrite(outcome, creation))],
    ['other-phone-second-lead', 'the same key with another phone makes a second lead',
      ({ record }, creation) => !isUnit(creation) && (record as Lead).phone !== (creation.body as Json)['phone'] ? creation.make() : null],
    ['refused-body-is-stored', 'the same key with another body is refused, and its lead stored all the same', (_, creation) => (creation.make(), null)],
    ['refused-name-is-stored', 'the same key with another body is refused, and the lead renamed all the same', (outcome, creation) => (overwrite(outcome, creation, 'name'), null)],
    ['refused-unit-is-stored', 'the same key with another unit is refused, and a second unit stored all the same', (_, creation) => (isUnit(creation) && creation.make(), null)],
  ]),
  fault('key-kept-per-unit', 'IDEM-04', 'the same key with another unit makes a second lead',
    named(({ tenant, route, body }, key) => [tenant, route, key, String((body as Json | null)?.['vehicleId'])])),
  ...faultsOf('IDEM-05', shortened)([
    ['key-compared-by-eight', 'keys are compared by their first 8 characters', (key) => key.slice(0, 8)],
    ['key-loses-last-character', 'the last character of a key is not compared', (key) => key.slice(0, -1)],
    ['key-loses-first-block', 'the first eight characters of a key are not compared', (key) => key.slice(8)],
    ['key-loses-fourth-block', 'the fourth block of a key is not compared', (key) => key.slice(0, 19) + key.slice(23)],
    ['key-loses-version', 'the version of a key, which is a UUID, is not compared', (key) => key.slice(0, 14) + key.slice(15)],
  ]),
  ...faultsOf('IDEM-05')([
    ['leads-share-an-id', 'every created lead shows the same id', success('createLead', ({ body }) => ((body as { data: Json }).data['id'] = 'lead_0'))],
    ['leads-joined-by-phone', 'a lead with a known phone gives the earlier lead, whatever its name (warned of)',
      {}, { needs: { 'content-duplicates': 'phone-joined' }, warns: true }],
  ]),
  ...faultsOf('IDEM-06')([
    ['key-shared-across-tenants', 'a key of one tenant shows the lead of another',
      { ...named(({ route }, key) => [route, key]), sameBody: (same, entry, creation) => same || isForeign(entry, creation) }],
    ['unit-key-shared-across-tenants', 'a key of one tenant shows the unit of another',
      { ...named((creation, key) => [isUnit(creation) ? '' : creation.tenant, creation.route, key]), sameBody: (same, entry, creation) => same || isForeign(entry, creation) }],
    ['key-blocks-other-tenant', 'a key of one tenant is refused to another',
      { ...named(({ route }, key) => [route, key]), sameBody: (_, entry, creation) => { if (isForeign(entry, creation)) throw keyConflict(creation); } }],
  ]),
  ...faultsOf('IDEM-07')([
    ['refusal-poisons-key', 'a refused lead leaves its key answering with a lead that was never made',
      { replay: (_, { refusal }, __, creation) => (refusal === null ? null : creation.build(freshId('lead'))) }, { needs: { 'refusal-burns-key': 'yes' } }],
    ['conflict-forgets-key', 'a refused conflict makes the service forget the key',
      { replay: (_, { outcome }, same, { exchange }, name) => { if (!same && outcome !== null) exchange.world.remembered.delete(name); } }],
    ['third-replay-creates', 'the third replay of a key makes another lead', thirdReplayCreates],
    ['key-shared-across-routes', 'a key used for a unit answers a lead with that unit', { ...named(({ tenant }, key) => [tenant, key]), sameBody: () => true }],
  ]),
  ...faultsOf('IDEM-08')([
    ['other-body-403', 'the same key with another body answers 403 (warned of)', status('key_conflict', 403)],
    ['in-progress-403', 'a key in progress answers 403 (warned of)', { ...slow(5, true), inProgress: () => { throw keyInProgress(403); } }],
    ['key-not-uuid-accepted', 'a key that is no UUID is accepted (warned of)',
      before(/^create/, ({ headers }) => { if (!/^[0-9a-f-]{36}$/i.test(String(headers['idempotency-key']))) delete headers['idempotency-key']; })],
  ]),
];
