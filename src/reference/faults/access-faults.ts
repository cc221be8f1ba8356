import { succeed } from '../answers.js';
import { ApiFailure } from '../api-failure.js';
import { mainTenant, otherTenant } from '../api-keys.js';
import { readCredentials } from '../credentials.js';
import { showLead, showListedUnit } from '../data/show-records.js';
import type { TenantStore } from '../data/tenant-store.js';
import { type Exchange, type FaultHooks, type Json } from '../instance.js';
import {
  bare,
  errorWith,
  items,
  opens,
  ownTenant,
  records,
  refuses,
  sentJson,
  status,
  success,
  vacuous,
  failing,
} from './change.js';
import { page } from './envelope-faults.js';
import { fault, type Fault } from './fault.js';

const authorization = ({ headers }: Exchange): string => headers.authorization ?? '';
const plain = (text: string): string => text.replace(/[^a-z0-9]/gi, '');

const sent = (pattern: RegExp): FaultHooks => opens((_, exchange) => pattern.test(authorization(exchange)));
const matching = (when: (sent: string, key: string) => boolean): FaultHooks => ({
  keyMatches: (matches, presented, key) => matches || when(presented, key),
});

/** Reads other credentials than were sent; undefined for none. */
const reads = (instead: (sent: string, exchange: Exchange) => string | undefined): FaultHooks => ({
  arrive: (exchange) => {
    const sent = authorization(exchange);
    const read = instead(sent, exchange);
    if (read !== sent) exchange.headers.authorization = read;
  },
});
const missing = (): ApiFailure => new ApiFailure(401, 'key_missing', 'Send the API key as Authorization: Bearer KEY.');

/** Reads Basic credentials as a key. */
const readsBasic = (keyIn: (value: string) => string): FaultHooks =>
  reads((sent) => sent.replace(/^basic[ \t]+(\S+)[ \t]*$/i, (_, value: string) => `Bearer ${keyIn(value)}`));

/** Faults of keys, scopes and tenants. */
// prettier-ignore
export const accessFaults: readonly Fault[] = [
  fault('no-key-accepted', 'AUTH-01', 'everything works without a key', opens((key) => key === null)),
  fault('empty-key-accepted', 'AUTH-01', 'an empty bearer key opens everything', opens((key) => key === '')),
  fault('unknown-key-accepted', 'AUTH-01', 'any key opens everything', opens((key) => key !== null && key !== '')),
  fault('slash-needs-no-key', 'AUTH-01', 'a list with a slash at its end is shown without a key', {
    routes: (add, { seed, tenantOf }) => {
      const isUnits = seed % 2 === 0;
      const items = isUnits ? tenantOf(mainTenant).units.all() : tenantOf(mainTenant).deals;
      add('GET', `/api/v1/${isUnits ? 'units' : 'deals'}/`, (exchange) => succeed(exchange, 200, { items, nextCursor: null }));
    },
  }),
  fault('page-for-three-part-key', 'AUTH-01', 'a key of three parts with dots between them answers 500 in HTML',
    page('key_unknown', (exchange) => /^[^.]+\.[^.]+\.[^.]+$/.test(authorization(exchange)), 500), vacuous),
  fault('long-key-bare', 'AUTH-01', 'a key of more than 4,096 characters is refused without the envelope',
    bare('key_unknown', (exchange) => authorization(exchange).length > 4_096), vacuous),
  fault('replay-needs-no-key', 'AUTH-01', 'a create that was made with a key is replayed to callers without one', {
    ...opens((key, { operation }) => !key && operation === 'createLead'),
    ...refuses('createLead', missing, (exchange) => {
      const name = [mainTenant, 'leads', exchange.headers['idempotency-key']].join('\n');
      return readCredentials(exchange).presented === null && !exchange.world.remembered.get(name)?.outcome;
    }),
  }),
  fault('bare-401', 'AUTH-01', 'a missing key is refused without the envelope', bare('key_missing'), vacuous),
  fault('any-basic-user-accepted', 'AUTH-01', 'whatever is sent under the scheme Basic opens everything', sent(/^basic /i)),
  fault('any-bare-value-accepted', 'AUTH-01', 'a value without a scheme opens everything, whatever it is', sent(/^(?!bearer$)\S+$/i)),
  fault('latin-key-accepted', 'AUTH-01', 'a key with bytes beyond ASCII in it opens everything', sent(/[\x80-\xff]/)),
  fault('unsigned-token-accepted', 'AUTH-01', 'a JSON Web Token without a signature opens everything', sent(/^Bearer [^.]+\.[^.]+\.$/)),
  fault('wildcard-key', 'AUTH-01', 'a key of one wildcard is any key', matching((key) => /^[%*]$/.test(key))),
  fault('key-suffix-accepted', 'AUTH-01', 'a key with something after it is accepted', matching((key, own) => key.startsWith(own))),
  fault('key-dot-accepted', 'AUTH-01', 'a key with a bare dot after it is accepted', matching((key, own) => key === `${own}.`)),
  fault('key-marks-ignored', 'AUTH-01', 'a key is compared without its underscores', matching((key, own) => plain(key) === plain(own))),
  fault('key-list-read', 'AUTH-01', 'a key with a comma or a semicolon and more after it is accepted', matching((key, own) => key.split(/[,;]/)[0] === own)),
  fault('key-prefix-accepted', 'AUTH-01', 'a key without its last character is accepted', matching((key, own) => key === own.slice(0, -1))),
  fault('key-last-character-free', 'AUTH-01', 'the last character of a key is not compared',
    matching((key, own) => key.length === own.length && key.slice(0, -1) === own.slice(0, -1))),
  fault('key-middle-free', 'AUTH-01', 'characters in the middle of a key are not compared', matching((key, own) => {
    const third = Math.floor(own.length / 3);
    return key.length === own.length && key.startsWith(own.slice(0, third)) && key.endsWith(own.slice(-third));
  })),
  fault('no-www-authenticate', 'AUTH-06', 'a 401 has no WWW-Authenticate (warned of)', { answer: ({ headers }) => { delete headers['WWW-Authenticate']; } }),
  fault('scope-missing-401-for-one-key', 'AUTH-06', 'a missing scope answers 401 to the key that reads units alone (warned of)',
    status('scope_missing', 401, (exchange) => readCredentials(exchange).key?.scopes.includes('read:inventory') === true)),
  fault('key-in-query-accepted', 'AUTH-06', 'a key in the query string is accepted (warned of)', reads((sent, { query }) => {
    const key = ['api_key', 'apiKey', 'access_token', 'key', 'token'].flatMap((name) => query[name] ?? []).at(0);
    return sent === '' && key !== undefined ? `Bearer ${key}` : sent;
  })),
  fault('key-under-basic-accepted', 'AUTH-06', 'a key under the scheme Basic is accepted (warned of)', readsBasic((value) => value)),
  fault('key-as-basic-user-accepted', 'AUTH-06', 'a key as the user of the scheme Basic is accepted (warned of)',
    readsBasic((value) => Buffer.from(value, 'base64').toString('latin1').split(':')[0] ?? '')),
  fault('key-echoed', 'AUTH-06', 'the refusal of an unknown key repeats it (warned of)',
    errorWith('key_unknown', (_, exchange) => ({ message: `The API key is not known (${String(readCredentials(exchange).presented)}).` }))),
  fault('missing-key-403', 'AUTH-06', 'a missing key answers 403 (warned of)', {}, { needs: { 'missing-key-status': '403' } }),
  fault('scope-missing-401', 'AUTH-06', 'a missing scope answers 401 (warned of)', {}, { needs: { 'scope-status': '401' } }),
  fault('scheme-case-matters', 'AUTH-06', 'the scheme has to be spelt Bearer (warned of)', {}, { needs: { 'credentials-form': 'exact' } }),
  fault('key-word-ignored', 'AUTH-06', 'a key with another word after it is accepted (warned of)', {}, { needs: { 'credentials-form': 'first-word' } }),
  fault('key-case-ignored', 'AUTH-06', 'a key in other case is accepted (warned of)', {}, { needs: { 'credentials-form': 'any-key-case' } }),
  fault('key-percent-decoded', 'AUTH-06', 'a key is percent-decoded before it is compared (warned of)', {}, { needs: { 'credentials-form': 'percent-decoded' } }),
  fault('named-lead-change-needs-no-scope', 'AUTH-03', 'any key may change a lead that the body names',
    { allowed: (allowed, _, { operation }) => allowed || operation === 'updateLead' }, { needs: { 'second-lead-operation': 'patch' } }),
  fault('method-overridden-after-scope', 'AUTH-03', 'a reading key deletes a unit by a GET with X-HTTP-Method-Override',
    { handle: (exchange) => { if (exchange.operation === 'getUnit' && exchange.headers['x-http-method-override'] === 'DELETE') ownTenant(exchange).units.remove(exchange.id); } }),
  fault('replay-before-scope', 'AUTH-03', 'a used idempotency key is answered before the scope is looked at', () => {
    const used = new Set<unknown>();
    return {
      allowed: (allowed, _, { operation, headers }) => allowed || (operation === 'createLead' && used.has(headers['idempotency-key'])),
      ...success('createLead', (_, { headers }) => used.add(headers['idempotency-key'])),
    };
  }),
  fault('foreign-tenant-in-capitals', 'AUTH-04', 'X-Tenant in capitals selects any tenant',
    { tenant: (tenant, { headers, world }) => /^[A-Z-]+$/.test(String(headers['x-tenant'])) ? world.tenantOf(String(headers['x-tenant']).toLowerCase()) : tenant }),
  fault('last-of-several-tenants-shown', 'AUTH-04', 'where X-Tenant names several tenants the first is checked, and the last is shown', {
    tenant: (tenant, { headers, world }, key) => {
      const [first = '', ...more] = String(headers['x-tenant']).split(/, ?/);
      return first === key.tenant && more.length > 0 ? (world.tenants.get(more.at(-1) ?? '') ?? tenant) : tenant;
    },
  }),
  fault('tenant-in-query-shown', 'AUTH-04', 'a tenant that the query names is shown, to whichever key',
    { tenant: (tenant, { query, world }) => world.tenants.get(String(query['tenant'])) ?? tenant }),
  fault('list-cached-for-all-tenants', 'AUTH-04', 'a unit list is kept for a moment, and shown to whichever key asks next', () => {
    const lists = new Map<string, { readonly tenant: TenantStore; readonly data: unknown; readonly at: number }>();
    return { answer: (answer, { operation, caller, url }, failure) => {
      if (operation !== 'listUnits' || caller === null) return;
      const { tenant } = caller;
      const kept = lists.get(url);
      if (kept !== undefined && kept.tenant !== tenant && performance.now() - kept.at < 1_500) Object.assign(answer, { status: 200, body: { ok: true, data: kept.data } });
      else if (failure === null) lists.set(url, { tenant, data: (answer.body as Json)['data'], at: performance.now() });
    } };
  }),
  fault('lead-filter-shows-all-tenants', 'AUTH-04', 'the list of leads for one unit shows those of every tenant', {
    ...items('listLeads', (list, { query, world }) => {
      const leads = Array.from(world.tenants.values()).flatMap((tenant) => Array.from(tenant.leads.placed(), ({ record }) => record));
      if (query['vehicleId'] !== undefined) list.splice(0, Infinity, ...leads.filter((lead) => lead.vehicleId === query['vehicleId']).map((lead) => ({ ...showLead(lead) })));
    }),
    document: ({ paths }) => {
      const { parameters } = paths['/api/v1/leads']?.['get'] as { parameters: Json[] };
      parameters.push({ name: 'vehicleId', in: 'query', schema: { type: 'string' } });
    },
  }),
  fault('lead-shows-foreign-unit', 'AUTH-04', 'a lead for another tenant’s unit shows that unit', records(/^(create|get)Lead$/, ({ vehicleId, vehicle }, { world }) => {
    const unit = Array.from(world.tenants.values(), ({ units }) => units.get(String(vehicleId))).find(Boolean);
    return { vehicle: unit ? showListedUnit(unit, world) : vehicle };
  }), { needs: { 'lead-vehicle': 'shown' } }),
  fault('lead-tells-foreign-unit', 'AUTH-04', 'a lead is refused for a unit that no tenant has, and taken for another tenant’s',
    refuses('createLead', failing(422, 'unknown_vehicle'), (exchange) => {
      const id = String((sentJson(exchange) as Json | null)?.['vehicleId']);
      return !Array.from(exchange.world.tenants.values()).some(({ units }) => units.get(id));
    }), { warns: true }),
  fault('one-inventory-for-all', 'AUTH-04', 'both tenants share one inventory',
    { tenant: (tenant, { operation, world }) => tenant && /Unit/.test(operation) ? world.tenantOf(mainTenant) : tenant }),
  fault('second-admin-cannot-create-leads', 'AUTH-05', 'every lead of the second tenant is refused as invalid',
    refuses('createLead', failing(422, 'invalid_lead'), (exchange) => ownTenant(exchange).slug === otherTenant)),
];
