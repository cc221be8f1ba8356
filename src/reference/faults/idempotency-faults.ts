import { ApiFailure } from '../api-failure.js';
import { type CreateOutcome, type Creation, type FaultHooks, type Json, type Remembered } from '../instance.js';
import { keyConflict, keyInProgress } from '../idempotency/create-once.js';
import type { Lead } from '../data/records.js';
import { freshId } from '../data/tenant-store.js';
import { afterwards, anyStatus, before, crash, status, success, vacuous } from './change.js';
import { fault, type Fault } from './fault.js';

const leadsOf = ({ exchange, tenant }: Creation) => exchange.world.tenantOf(tenant).leads;
const isUnit = ({ route }: Creation): boolean => route === 'units';

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
/** Answers with the key of another tenant. */
const foreignReplayed = (change: (outcome: CreateOutcome, creation: Creation) => CreateOutcome): FaultHooks => ({
  replay: (_, { tenant, outcome }, __, creation) =>
    tenant !== creation.tenant && outcome !== null ? change(outcome, creation) : null,
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

/** Faults of idempotency keys. */
// prettier-ignore
export const idempotencyFaults: readonly Fault[] = [
  fault('key-ignored', 'IDEM-01', 'a replay makes another lead', named(() => null)),
  fault('key-ignored-beyond-ascii', 'IDEM-01', 'a lead whose name has a letter beyond ASCII is made again by its replay',
    named(({ tenant, route, body }, key) => (/[^\0-\x7f]/.test(JSON.stringify(body)) ? null : [tenant, route, key]))),
  fault('key-ignored-for-long-bodies', 'IDEM-01', 'a lead of more than 400 bytes is made again by its replay',
    named(({ tenant, route, exchange }, key) => (Number(exchange.headers['content-length']) > 400 ? null : [tenant, route, key]))),
  fault('key-in-capitals-ignored', 'IDEM-01', 'a lead whose key is in capitals is made again by its replay',
    named(({ tenant, route }, key) => (key === key.toLowerCase() ? [tenant, route, key] : null))),
  fault('key-ignored-with-source', 'IDEM-01', 'a lead with a source is made again by its replay',
    named(({ tenant, route, body }, key) => (route === 'leads' && (body as Json | null)?.['source'] !== undefined ? null : [tenant, route, key]))),
  fault('second-form-keys-apart', 'IDEM-01', 'each address form remembers keys of its own', named(({ tenant, route, exchange }, key) => [tenant, route, key, exchange.surface])),
  fault('keys-apart-without-tenant', 'IDEM-01', 'requests without X-Tenant remember keys of their own', named(({ tenant, route, exchange }, key) => [tenant, route, key, String(exchange.headers['x-tenant'])])),
  fault('replay-fresh-id', 'IDEM-01', 'a replay shows the same lead under a fresh id', shown(() => ({ id: freshId('lead') }))),
  fault('replay-refused', 'IDEM-01', 'a replay is refused with a conflict (warned of)', {}, { needs: { replay: '409' }, warns: true }),
  fault('refused-replay-is-stored', 'IDEM-01', 'a replay is refused, and its lead stored again all the same',
    replayed((_, creation) => { if (!isUnit(creation)) creation.make(); throw keyConflict(creation); })),
  fault('replay-busy', 'IDEM-01', 'a replay of a lead is answered with 503, however often it is sent', replayed((_, creation) => {
    if (isUnit(creation)) return null;
    throw new ApiFailure(503, 'unavailable', 'try again later');
  }), anyStatus),
  fault('second-form-refuses-replays', 'IDEM-01', 'a replay is refused under the second address form only (warned of)', replayed((_, creation) => {
    if (creation.exchange.second && !isUnit(creation)) throw keyConflict(creation);
    return null;
  }), { warns: true }),
  // A replay within the millisecond of the create is fresh, too.
  fault('replay-fresh-time', 'IDEM-01', 'a replay shows a fresh creation time (warned of)', shown(() => ({ createdAt: new Date(Date.now() + 1).toISOString() })), { warns: true }),
  fault('replay-other-status', 'IDEM-01', 'a replay answers 200 where the create answered 201 (warned of)', {
    ...replayed((outcome, creation) => (isUnit(creation) ? null : { ...creation.show(outcome), status: 200 })),
    document: ({ paths }) => {
      for (const path of ['/api/v1/leads', '/api/v1/units']) {
        const { responses } = paths[path]?.['post'] as { responses: Json };
        responses['200'] = responses['201'];
      }
    },
  }, { needs: { 'create-status': '201' }, warns: true }),
  fault('replay-without-source', 'IDEM-01', 'a replay shows the lead without its source', shown(() => ({ source: null }))),
  fault('replay-without-data', 'IDEM-01', 'a replay is answered with a success that shows nothing of the lead', () => {
    const replays = new WeakSet<object>();
    return {
      ...replayed((_, { exchange }) => (replays.add(exchange), null)),
      ...success('createLead', ({ body }, exchange) => replays.has(exchange) && ((body as Json)['data'] = {})),
    };
  }, vacuous),
  fault('key-kept-for-twelve', 'IDEM-02', 'only the last 12 keys are remembered', kept({ count: 12 })),
  fault('key-kept-for-forty', 'IDEM-02', 'only the last 40 keys are remembered', kept({ count: 40 })),
  fault('key-kept-for-two-hundred', 'IDEM-02', 'only the last 200 keys are remembered', kept({ count: 200 }), { depth: 'certify' }),
  fault('key-kept-for-a-second', 'IDEM-02', 'keys are remembered for one second', kept({ ms: 1_000 }), { depth: 'certify' }),
  fault('refused-unit-replay-is-stored', 'IDEM-02', 'the replay of the creation of a unit is refused, and a second unit stored all the same',
    replayed((_, creation) => { if (!isUnit(creation)) return null; creation.make(); throw keyConflict(creation); })),
  fault('unit-key-ignored', 'IDEM-02', 'creating a unit knows no idempotency', named((creation, key) => (isUnit(creation) ? null : [creation.tenant, 'leads', key]))),
  fault('race-of-two-ms', 'IDEM-03', 'two requests with one key within 2 ms make two leads', slow(2, false)),
  fault('race-shows-phantom', 'IDEM-03', 'a request that meets its key in progress is shown a lead that is never stored',
    { ...slow(5, true), inProgress: (_, creation) => creation.build(freshId('lead')) }),
  fault('race-crashes', 'IDEM-03', 'a request that meets its key in progress answers 500', { ...slow(5, true), inProgress: () => { throw crash(); } }, anyStatus),
  fault('race-dropped', 'IDEM-03', 'a request that meets its key in progress has its connection closed',
    { ...slow(200, true), inProgress: (_, { exchange }) => { exchange.response.destroy(); throw keyInProgress(); } }),
  fault('other-body-shown', 'IDEM-04', 'the same key with another body shows the first lead with the second body', otherBody(({ record }, creation) => creation.build(record.id))),
  fault('other-body-overwrites', 'IDEM-04', 'the same key with another body changes the first lead',
    otherBody((outcome, creation, entry) => (entry.outcome = overwrite(outcome, creation)))),
  fault('other-phone-second-lead', 'IDEM-04', 'the same key with another phone makes a second lead',
    otherBody(({ record }, creation) => !isUnit(creation) && (record as Lead).phone !== (creation.body as Json)['phone'] ? creation.make() : null)),
  fault('refused-body-is-stored', 'IDEM-04', 'the same key with another body is refused, and its lead stored all the same', otherBody((_, creation) => (creation.make(), null))),
  fault('refused-name-is-stored', 'IDEM-04', 'the same key with another body is refused, and the lead renamed all the same',
    otherBody((outcome, creation) => (overwrite(outcome, creation, 'name'), null))),
  fault('refused-unit-is-stored', 'IDEM-04', 'the same key with another unit is refused, and a second unit stored all the same',
    otherBody((_, creation) => (isUnit(creation) && creation.make(), null))),
  fault('key-kept-per-order', 'IDEM-04', 'the same key with the same fields in another order makes a second record',
    named(({ tenant, route, body }, key) => [tenant, route, key, Object.keys((body as Json | null) ?? {})[0] ?? ''])),
  fault('key-kept-per-length', 'IDEM-04', 'the same key with a body of another length makes a second record',
    named(({ tenant, route, exchange }, key) => [tenant, route, key, String(exchange.headers['content-length'])])),
  fault('key-kept-per-unit', 'IDEM-04', 'the same key with another unit makes a second lead',
    named(({ tenant, route, body }, key) => [tenant, route, key, String((body as Json | null)?.['vehicleId'])])),
  fault('key-compared-by-eight', 'IDEM-05', 'keys are compared by their first 8 characters', shortened((key) => key.slice(0, 8))),
  fault('key-loses-last-character', 'IDEM-05', 'the last character of a key is not compared', shortened((key) => key.slice(0, -1))),
  fault('key-loses-last-digit', 'IDEM-05', 'a digit at the end of a key is not compared', shortened((key) => key.replace(/\d$/, ''))),
  fault('key-loses-first-block', 'IDEM-05', 'the first eight characters of a key are not compared', shortened((key) => key.slice(8))),
  fault('key-loses-fourth-block', 'IDEM-05', 'the fourth block of a key is not compared', shortened((key) => key.slice(0, 19) + key.slice(23))),
  fault('key-loses-version', 'IDEM-05', 'the version of a key, which is a UUID, is not compared', shortened((key) => key.slice(0, 14) + key.slice(15))),
  fault('leads-share-an-id', 'IDEM-05', 'every created lead shows the same id', success('createLead', ({ body }) => ((body as { data: Json }).data['id'] = 'lead_0'))),
  fault('leads-joined-by-phone', 'IDEM-05', 'a lead with a known phone gives the earlier lead, whatever its name (warned of)',
    {}, { needs: { 'content-duplicates': 'phone-joined' }, warns: true }),
  fault('key-shared-across-tenants', 'IDEM-06', 'a key of one tenant shows the lead of another',
    { ...named(({ route }, key) => [route, key]), ...foreignReplayed((outcome) => outcome) }),
  fault('unit-key-shared-across-tenants', 'IDEM-06', 'a key of one tenant shows the unit of another',
    { ...named((creation, key) => [isUnit(creation) ? '' : creation.tenant, creation.route, key]), ...foreignReplayed((outcome) => outcome) }),
  fault('key-shared-where-ids-tell', 'IDEM-06', 'a key of one tenant shows the lead of another, and answers tell no more of a lead than its id', {
    ...named((creation, key) => [isUnit(creation) ? creation.tenant : '', creation.route, key]),
    ...foreignReplayed((outcome) => outcome),
    ...success('createLead', ({ body }) => { const { data } = body as { data: Json }; (body as Json)['data'] = { id: data['id'] }; }),
  }, { needs: { ...vacuous.needs, 'second-lead-operation': 'patch', 'lead-item': 'none' } }),
  fault('key-blocks-other-tenant', 'IDEM-06', 'a key of one tenant is refused to another',
    { ...named(({ route }, key) => [route, key]), ...foreignReplayed((_, creation) => { throw keyConflict(creation); }) }),
  fault('refusal-poisons-key', 'IDEM-07', 'a refused lead leaves its key answering with a lead that was never made',
    { replay: (_, { refusal }, __, creation) => (refusal === null ? null : creation.build(freshId('lead'))) }, { needs: { 'refusal-burns-key': 'yes' } }),
  fault('keyed-lead-lost', 'IDEM-07', 'a lead whose key ends in one of eight drawn digits is answered as created, and not stored',
    afterwards('createLead', (leads, { id }, _, { headers, world }) => { if ((parseInt(String(headers['idempotency-key']).slice(-1), 16) + world.seed) % 2 === 0) leads.remove(id); })),
  fault('conflict-forgets-key', 'IDEM-07', 'a refused conflict makes the service forget the key',
    { replay: (_, { outcome }, same, { exchange }, name) => { if (!same && outcome !== null) exchange.world.remembered.delete(name); } }),
  fault('third-replay-creates', 'IDEM-07', 'the third replay of a key makes another lead', () => {
    const replays = new WeakMap<CreateOutcome, number>();
    return replayed((outcome, creation) => {
      replays.set(outcome, (replays.get(outcome) ?? 0) + 1);
      return replays.get(outcome) === 3 ? creation.make() : null;
    });
  }),
  fault('key-shared-across-routes', 'IDEM-07', 'a key used for a unit answers a lead with that unit', { ...named(({ tenant }, key) => [tenant, key]), replay: (_, { outcome }) => outcome }),
  fault('other-body-403', 'IDEM-08', 'the same key with another body answers 403 (warned of)', status('key_conflict', 403)),
  fault('in-progress-403', 'IDEM-08', 'a key in progress answers 403 (warned of)', { ...slow(5, true), inProgress: () => { throw keyInProgress(403); } }),
  fault('key-not-uuid-accepted', 'IDEM-08', 'a key that is no UUID is accepted (warned of)',
    before(/^create/, ({ headers }) => { if (!/^[0-9a-f-]{36}$/i.test(String(headers['idempotency-key']))) delete headers['idempotency-key']; })),
];
