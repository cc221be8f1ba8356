import { foreignTenantFailure, missingKey, scopeFailure } from '../admission.js';
import { ApiFailure } from '../api-failure.js';
import { mainTenant, otherTenant } from '../api-keys.js';
import type { ApiKey } from '../api-keys.js';
import { percentDecoded, readCredentials } from '../credentials.js';
import { readCursor } from '../data/paging.js';
import { callerOf } from '../request-state.js';
import type { Exchange } from '../request-state.js';
import { noSuchUnit } from '../routes/unit-routes.js';
import { grants } from '../scopes.js';
import { showListedUnit } from '../data/show-records.js';
import type { TenantStore } from '../data/tenant-store.js';
import { always, anyOwner, bare, isPaged, isSecond, items, opens, otherThan, ownTenant } from './change.js';
import { refusal, success, vacuous } from './change.js';
import type { Json } from './change.js';
import { because, fault } from './fault.js';
import type { Fault, FaultHooks } from './fault.js';

type Test = (exchange: Exchange) => boolean;
const open = { 'AUTH-06': '401 is recommended where nothing was refused', 'AUTH-03': 'no scope is asked for' };
const isHead: Test = ({ request }) => request.method === 'HEAD';
const authorization = ({ request }: Exchange): string => request.headers.authorization ?? '';
const plain = (text: string): string => text.replace(/[^a-z0-9]/gi, '');

const noKey = (when: Test = always): FaultHooks => opens((key, exchange) => key === null && when(exchange));
const noKeyFor = (name: string): FaultHooks => noKey(({ operation }) => operation === name);
const sent = (pattern: RegExp): FaultHooks => opens((_, exchange) => pattern.test(authorization(exchange)));
const matching = (when: (sent: string, key: string) => boolean): FaultHooks => ({
  keyMatches: (matches, presented, key) => matches || when(presented, key),
});

/** Refuses operations to keys of a scope. */
const shuts = (scope: string, ...names: readonly string[]): FaultHooks => ({
  allowed: (allowed, key, { operation }) => allowed && !(key.scopes.includes(scope) && names.includes(operation)),
});
/** Allows operations to keys of a scope. */
const lets = (scope: string, ...names: readonly string[]): FaultHooks => ({
  allowed: (allowed, key, { operation }) => allowed || (key.scopes.includes(scope) && names.includes(operation)),
});
const anyKey = (when: Test): FaultHooks => ({ allowed: (allowed, _, exchange) => allowed || when(exchange) });
const anyKeyFor = (name: string): FaultHooks => anyKey(({ operation }) => operation === name);

/** Does what a key without the scope asks for, then refuses it. */
const refusedLate = (operation: string): FaultHooks => ({
  ...anyKeyFor(operation),
  ...success(operation, (_, { request, world }) => {
    const { key } = callerOf(request);
    if (key && !grants(key, request.routeOptions.config.scope ?? '', world.behaviour)) throw scopeFailure(world);
  }),
});
/** Does what somebody without a key asks for, then refuses it. */
const keylessLate = (name: string): FaultHooks => ({
  keyless: (_, { operation }) => operation === name,
  ...success(name, (_, { request, world }) => {
    if (callerOf(request).key === null) throw missingKey(world);
  }),
});

/** Takes X-Tenant for the tenant. */
const follows = (when: (exchange: Exchange, key: ApiKey) => boolean = always): FaultHooks => ({
  tenant: (tenant, exchange, key, named) => (named !== undefined && when(exchange, key) ? named : tenant),
});
const followsFor = (name: string): FaultHooks => follows(({ operation }) => operation === name);

/** The key as Basic credentials carry it: by itself, or encoded as user or password. */
function basicKey(value: string): string {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return decoded.split(':').find((part) => part.startsWith('dk_')) ?? value;
}

/** Caches each list for a moment by its URL alone, for all keys. */
function listCache(): FaultHooks {
  const lists = new Map<string, { readonly tenant: TenantStore; readonly data: unknown; readonly at: number }>();
  return {
    answer: (answer, exchange, failure) => {
      const { operation, request } = exchange;
      if (operation !== 'listUnits' || request.caller === null) return;
      const { tenant } = request.caller;
      const kept = lists.get(request.originalUrl);
      if (kept !== undefined && kept.tenant !== tenant && performance.now() - kept.at < 1_500)
        Object.assign(answer, { status: 200, body: { ok: true, data: kept.data } });
      else if (failure === null)
        lists.set(request.originalUrl, { tenant, data: (answer.body as Json)['data'], at: performance.now() });
    },
  };
}

/** Faults of keys, scopes and tenants. */
// prettier-ignore
export const authenticationFaults: readonly Fault[] = [
  fault('no-key-accepted', 'AUTH-01', 'everything works without a key', noKey(), { also: open }),
  fault('no-key-accepted-for-deals', 'AUTH-01', 'deals are shown without a key', noKeyFor('listDeals')),
  fault('no-key-accepted-for-unit', 'AUTH-01', 'a single unit is shown without a key', noKeyFor('getUnit')),
  fault('no-key-accepted-for-create', 'AUTH-01', 'a lead is created without a key', noKeyFor('createLead')),
  fault('empty-key-accepted', 'AUTH-01', 'an empty bearer key opens everything', opens((key) => key === '')),
  fault('unknown-key-accepted', 'AUTH-01', 'any key opens everything',
    opens((key) => key !== null && key !== ''), { also: open }),
  fault('any-basic-user-accepted', 'AUTH-01', 'whatever is sent under the scheme Basic opens everything',
    sent(/^basic /i), { also: { 'AUTH-06': 'a key under the scheme Basic is accepted, too' } }),
  fault('any-bare-value-accepted', 'AUTH-01', 'a value without a scheme opens everything, whatever it is',
    sent(/^(?!bearer$)\S+$/i), { also: { 'AUTH-06': 'a key without a scheme is accepted, too' } }),
  fault('latin-key-accepted', 'AUTH-01', 'a key with bytes beyond ASCII in it opens everything', sent(/[\x80-\xff]/)),
  fault('key-suffix-accepted', 'AUTH-01', 'a key with something after it is accepted',
    matching((key, own) => key.startsWith(own))),
  fault('key-dot-accepted', 'AUTH-01', 'a key with a bare dot after it is accepted',
    matching((key, own) => key === `${own}.`)),
  fault('key-marks-ignored', 'AUTH-01', 'a key is compared without its underscores',
    matching((key, own) => plain(key) === plain(own))),
  fault('key-list-read', 'AUTH-01', 'a key with a comma or a semicolon and more after it is accepted',
    matching((key, own) => key.split(/[,;]/)[0] === own)),
  fault('key-prefix-accepted', 'AUTH-01', 'a key without its last character is accepted',
    matching((key, own) => key === own.slice(0, -1))),
  fault('key-last-character-free', 'AUTH-01', 'the last character of a key is not compared',
    matching((key, own) => key.length === own.length && key.slice(0, -1) === own.slice(0, -1))),
  fault('key-middle-free', 'AUTH-01', 'characters in the middle of a key are not compared',
    matching((key, own) => {
      const third = Math.floor(own.length / 3);
      return key.length === own.length && key.startsWith(own.slice(0, third)) && key.endsWith(own.slice(-third));
    })),
  fault('lead-stored-without-key', 'AUTH-01', 'a lead without a key is stored, then refused',
    keylessLate('createLead')),
  fault('replay-needs-no-key', 'AUTH-01', 'a create that was made with a key is replayed to callers without one',
    {
      keyless: (_, { operation }) => operation === 'createLead',
      handle: ({ operation, request: { caller, headers }, world: { remembered, tenantOf }, world }) => {
        if (operation !== 'createLead' || caller?.key !== null) return;
        const name = remembered.nameOf(tenantOf(mainTenant).slug, 'leads', String(headers['idempotency-key']));
        if (!remembered.get(name)?.outcome) throw missingKey(world);
      },
    }),
  fault('unit-stored-without-key', 'AUTH-01', 'a unit without a key is stored, then refused',
    keylessLate('createUnit')),
  fault('unit-deleted-without-key', 'AUTH-01', 'a unit is deleted without a key, then that is refused',
    keylessLate('deleteUnit')),
  fault('cursor-needs-no-key', 'AUTH-01', 'a request with a cursor needs no key',
    opens((_, exchange) => isPaged(exchange))),
  fault('head-needs-no-key', 'AUTH-01', 'HEAD is answered without a key', noKey(isHead)),
  fault('bare-401', 'AUTH-01', 'a missing key is refused without the envelope',
    bare('key_missing'),
    { needs: vacuous, also: { 'ENV-03': 'a refusal is an envelope', 'ENV-01': 'there is no ok' } }),
  fault('read-inventory-refused', 'AUTH-02', 'read:inventory may not list units',
    shuts('read:inventory', 'listUnits'), { also: { 'UNIT-10': 'what such a key sees cannot be judged' } }),
  fault('second-form-unit-needs-no-key', 'AUTH-01', 'a single unit is shown to anybody under the second address form',
    { keyless: (_, { second, operation }) => second && operation === 'getUnit' }),
  fault('read-inventory-cannot-read-one', 'AUTH-02', 'read:inventory may not read a single unit',
    shuts('read:inventory', 'getUnit')),
  fault('write-inventory-refused', 'AUTH-02', 'write:inventory may not create units',
    shuts('write:inventory', 'createUnit')),
  fault('read-leads-refused', 'AUTH-02', 'read:leads may not read leads', shuts('read:leads', 'listLeads', 'getLead')),
  fault('write-leads-refused', 'AUTH-02', 'write:leads may not create leads', shuts('write:leads', 'createLead')),
  fault('read-deals-refused', 'AUTH-02', 'read:deals may not read deals', shuts('read:deals', 'listDeals')),
  fault('read-inventory-refused-page-two', 'AUTH-02', 'read:inventory may list units, but not with a cursor',
    { allowed: (allowed, { scopes }, exchange) => allowed && !(isPaged(exchange) && scopes.includes('read:inventory')) }),
  fault('read-inventory-writes', 'AUTH-03', 'read:inventory may create units', lets('read:inventory', 'createUnit')),
  fault('read-leads-writes', 'AUTH-03', 'read:leads may create leads', lets('read:leads', 'createLead')),
  fault('read-calls-reads-deals', 'AUTH-03', 'read:calls may read deals', lets('read:calls', 'listDeals')),
  fault('read-deals-reads-leads', 'AUTH-03', 'read:deals may read leads', lets('read:deals', 'listLeads', 'getLead')),
  fault('write-leads-reads-units', 'AUTH-03', 'write:leads may read units',
    lets('write:leads', 'listUnits', 'getUnit')),
  fault('read-inventory-reads-leads', 'AUTH-03', 'read:inventory may read leads',
    lets('read:inventory', 'listLeads', 'getLead')),
  fault('read-inventory-reads-one-lead', 'AUTH-03', 'read:inventory may read a single lead by its id',
    lets('read:inventory', 'getLead')),
  fault('cursor-needs-no-scope', 'AUTH-03', 'any key may read the page of units that a cursor names',
    anyKey((exchange) => exchange.operation === 'listUnits' && isPaged(exchange))),
  fault('head-needs-no-scope', 'AUTH-03', 'HEAD is answered to any key', anyKey(isHead)),
  fault('second-form-needs-no-scope', 'AUTH-03', 'any key may do anything under the second address form',
    anyKey(isSecond)),
  fault('second-form-leads-need-no-scope', 'AUTH-03', 'any key may list leads under the second address form',
    anyKey(({ second, operation }) => second && operation === 'listLeads')),
  fault('patch-needs-no-scope', 'AUTH-03', 'any key may change a unit', anyKeyFor('updateUnit')),
  fault('delete-needs-no-scope', 'AUTH-03', 'any key may delete a unit', anyKeyFor('deleteUnit')),
  fault('lead-change-needs-no-scope', 'AUTH-03', 'any key may change a lead',
    anyKeyFor('updateLead'), { needs: { 'second-lead-operation': 'patch' } }),
  fault('refusal-after-effect', 'AUTH-03', 'a lead of a key without the scope is stored, then refused',
    refusedLate('createLead')),
  fault('unit-stored-then-refused', 'AUTH-03', 'a unit of a key without the scope is stored, then refused',
    refusedLate('createUnit')),
  fault('unit-changed-then-refused', 'AUTH-03', 'a change of a unit by a key without the scope is made, then refused',
    refusedLate('updateUnit')),
  fault('unit-deleted-then-refused', 'AUTH-03', 'a unit is deleted by a key without the scope, then that is refused',
    refusedLate('deleteUnit')),
  fault('foreign-tenant-followed', 'AUTH-04', 'X-Tenant selects any tenant, for every key', follows()),
  fault('foreign-tenant-followed-when-reading-one', 'AUTH-04', 'X-Tenant selects any tenant for single units',
    followsFor('getUnit')),
  fault('foreign-tenant-followed-by-head', 'AUTH-04', 'X-Tenant selects any tenant for HEAD', follows(isHead)),
  fault('foreign-tenant-followed-under-filter', 'AUTH-04', 'X-Tenant selects any tenant where units are filtered',
    follows(({ query }) => query['status'] !== undefined)),
  fault('foreign-tenant-followed-for-one-lead', 'AUTH-04', 'X-Tenant selects any tenant for a single lead',
    followsFor('getLead')),
  fault('foreign-tenant-unit-created', 'AUTH-04', 'X-Tenant selects any tenant when a unit is created',
    followsFor('createUnit')),
  fault('foreign-tenant-followed-by-writing-key', 'AUTH-04', 'X-Tenant selects any tenant when a lead is created with a key for leads alone',
    follows(({ operation }, { scopes }) => operation === 'createLead' && !scopes.includes('admin:*'))),
  fault('second-form-follows-foreign-tenant', 'AUTH-04', 'X-Tenant selects any tenant under the second address form',
    follows(isSecond)),
  fault('second-form-unit-follows-foreign-tenant', 'AUTH-04', 'X-Tenant selects any tenant for a single unit under the second address form',
    follows(({ second, operation }) => second && operation === 'getUnit')),
  fault('second-form-shows-first-tenant', 'AUTH-04', 'without X-Tenant the second address form shows the first tenant, for every key',
    { tenant: (tenant, { second, request, world }) => second && request.headers['x-tenant'] === undefined ? world.tenantOf(mainTenant) : tenant }),
  fault('list-cached-for-all-tenants', 'AUTH-04', 'a unit list is kept for a moment, and shown to whichever key asks next',
    listCache),
  fault('foreign-tenant-written-by-second', 'AUTH-04', 'X-Tenant selects the tenant that a lead is stored with, for keys of the second tenant only',
    follows(({ operation }, key) => operation === 'createLead' && key.tenant === otherTenant)),
  fault('foreign-tenant-written', 'AUTH-04', 'X-Tenant selects the tenant that a lead is stored with',
    followsFor('createLead')),
  fault('foreign-tenant-written-though-refused', 'AUTH-04', 'a lead for another tenant is refused and stored with it all the same',
    {
      ...followsFor('createLead'),
      ...success('createLead', (_, { request, world }) => {
        const { key, tenant } = callerOf(request);
        if (key !== null && key.tenant !== tenant.slug) throw foreignTenantFailure(world);
      }),
    }),
  fault('lead-shows-foreign-unit', 'AUTH-04', 'a lead for another tenant’s unit shows that unit',
    anyOwner('units', 'showLead'), { needs: { 'lead-vehicle': 'shown' } }),
  fault('foreign-unit-by-id', 'AUTH-04', 'another tenant’s unit can be read by its id', anyOwner('units', 'getUnit')),
  fault('one-inventory-for-all', 'AUTH-04', 'both tenants share one inventory',
    { start: ({ tenantOf }) => tenantOf(otherTenant).shareUnits(tenantOf(mainTenant)) }),
  fault('foreign-unit-changed', 'AUTH-04', 'another tenant’s unit can be changed by its id',
    anyOwner('units', 'updateUnit')),
  fault('foreign-unit-changed-though-refused', 'AUTH-04', 'a change of another tenant’s unit is refused and carried out',
    {
      ...anyOwner('units', 'updateUnit'),
      ...success('updateUnit', (_, exchange) => {
        if (ownTenant(exchange).units.get(exchange.id) === undefined) throw noSuchUnit(exchange.world);
      }),
    }),
  fault('foreign-unit-deleted', 'AUTH-04', 'another tenant’s unit can be deleted by its id',
    anyOwner('units', 'deleteUnit')),
  fault('foreign-cursor-followed', 'AUTH-04', 'a cursor of another tenant shows that tenant’s units',
    {
      tenant: (tenant, { operation, query, world }) => {
        const cursor = readCursor(query[world.behaviour.option('cursor-parameter')] ?? '', 'units');
        return operation === 'listUnits' && tenant && cursor ? (world.tenants.get(cursor.tenant) ?? tenant) : tenant;
      },
    }),
  fault('foreign-lead-changed', 'AUTH-04', 'another tenant’s lead can be changed by its id',
    anyOwner('leads', 'updateLead'), { needs: { 'lead-item': 'get-patch' } }),
  fault('foreign-lead-changed-though-refused', 'AUTH-04', 'a change of another tenant’s lead is refused and carried out',
    {
      ...anyOwner('leads', 'updateLead'),
      ...success('updateLead', (_, exchange) => {
        if (ownTenant(exchange).leads.get(exchange.id) === undefined) throw foreignTenantFailure(exchange.world);
      }),
    }, { needs: { 'lead-item': 'get-patch' } }),
  fault('foreign-lead-by-id', 'AUTH-04', 'another tenant’s lead can be read by its id', anyOwner('leads', 'getLead')),
  fault('foreign-unit-listed', 'AUTH-04', 'the unit list ends with a unit of another tenant',
    items('listUnits', (list, exchange, { nextCursor }) => {
      if (nextCursor) return;
      const [foreign] = otherThan(ownTenant(exchange), exchange).units.placed();
      if (foreign) list.push(showListedUnit(foreign.record, exchange.world.behaviour));
    }), { also: { 'UNIT-06': 'the foreign unit cannot be read by itself' } }),
  fault('admin-cannot-read-deals', 'AUTH-05', 'full access may not read deals',
    shuts('admin:*', 'listDeals'), { also: because('deals are refused', 'DEAL-01', 'DEAL-02', 'VER-01') }),
  fault('second-admin-cannot-read-deals', 'AUTH-05', 'full access to the second tenant may not read its deals',
    { allowed: (allowed, { tenant }, { operation }) => allowed && !(tenant === otherTenant && operation === 'listDeals') }),
  fault('second-admin-cannot-create-leads', 'AUTH-05', 'every lead of the second tenant is refused as invalid',
    {
      accept: (_, kind, { slug }, { behaviour: { option } }) => {
        const issues = ['/name is not accepted'];
        if (kind === 'lead' && slug === otherTenant)
          throw new ApiFailure(Number(option('invalid-status')), 'invalid_lead', 'The lead is not valid.', { issues });
      },
    }, { also: { 'AUTH-04': 'its leads cannot be made' } }),
  fault('admin-cannot-create-unit', 'AUTH-05', 'full access may not create units',
    shuts('admin:*', 'createUnit'), { also: because('a unit cannot be created', 'UNIT-11', 'IDEM-02') }),
  fault('admin-cannot-read-leads', 'AUTH-05', 'full access may not read leads',
    shuts('admin:*', 'listLeads', 'getLead'),
    { also: { 'LEAD-07': 'leads cannot be read back', 'VER-01': 'leads are refused' } }),
  fault('admin-cannot-change-unit', 'AUTH-05', 'full access may not change units',
    shuts('admin:*', 'updateUnit'), { also: { 'UNIT-11': 'a unit cannot be changed' } }),
  fault('no-www-authenticate', 'AUTH-06', 'a 401 has no WWW-Authenticate (warned of)',
    { answer: ({ headers }) => { delete headers['WWW-Authenticate']; } }),
  fault('missing-key-403', 'AUTH-06', 'a missing key answers 403 (warned of)',
    refusal('key_missing', (answer) => Object.assign(answer, { status: 403, headers: {} }))),
  fault('scope-missing-401', 'AUTH-06', 'a missing scope answers 401 (warned of)',
    { failure: (failure, { world }) => (failure.code === 'scope_missing' ? scopeFailure(world, 401) : failure) }),
  fault('scheme-case-matters', 'AUTH-06', 'the scheme has to be spelt Bearer (warned of)',
    { presentedKey: (key, exchange) => (/^Bearer[ \t]/.test(authorization(exchange)) ? key : null) }),
  fault('key-in-query-accepted', 'AUTH-06', 'a key in the query string is accepted (warned of)',
    {
      presentedKey: (key, { request, query }) => {
        const found = ['api_key', 'apiKey', 'access_token', 'key', 'token'].map((name) => query[name]);
        return request.headers.authorization === undefined ? (found.find((one) => typeof one === 'string') ?? null) : key;
      },
    }),
  fault('key-under-basic-accepted', 'AUTH-06', 'a key under the scheme Basic is accepted (warned of)',
    {
      presentedKey: (key, exchange) => {
        const value = /^basic[ \t]+(\S+)[ \t]*$/i.exec(authorization(exchange))?.[1];
        return key ?? (value === undefined ? null : basicKey(value));
      },
    }),
  fault('key-case-ignored', 'AUTH-06', 'a key in other case is accepted (warned of)',
    matching((key, own) => key.toLowerCase() === own.toLowerCase())),
  fault('key-word-ignored', 'AUTH-06', 'a key with another word after it is accepted (warned of)',
    { presentedKey: (key, exchange) => key ?? /^bearer[ \t]+(\S+)/i.exec(authorization(exchange))?.[1] ?? null }),
  fault('key-percent-decoded', 'AUTH-06', 'a key is percent-decoded before it is compared (warned of)',
    matching((key, own) => percentDecoded(key) === own)),
  fault('key-echoed', 'AUTH-06', 'the refusal of an unknown key repeats it (warned of)',
    {
      failure: (failure, exchange) => {
        const { status, code, headers } = failure;
        if (code !== 'key_unknown') return failure;
        const { presented } = readCredentials(exchange);
        return new ApiFailure(status, code, `The API key is not known (${String(presented)}).`, { headers });
      },
    }, { also: { 'ENV-07': 'an error holds a secret' } }),
];
