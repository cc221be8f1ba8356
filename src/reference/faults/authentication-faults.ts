import { succeed } from '../answers.js';
import { ApiFailure } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import { readCredentials } from '../credentials.js';
import { type Exchange, type FaultHooks } from '../instance.js';
import { bare, errorWith, opens, refuses, vacuous } from './change.js';
import { page } from './envelope-faults.js';
import { faultsOf, type Fault } from './fault.js';
import { unitsOf } from './unit-faults.js';
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
export const authenticationFaults: readonly Fault[] = [
  ...faultsOf('AUTH-01')([
    ['no-key-accepted', 'everything works without a key', opens((key) => key === null)],
    ['empty-key-accepted', 'an empty bearer key opens everything', opens((key) => key === '')],
    ['unknown-key-accepted', 'any key opens everything', opens((key) => key !== null && key !== '')],
    ['slash-needs-no-key', 'a list with a slash at its end is shown without a key', {
      routes: (add, { behaviour, tenantOf }) => {
        const isUnits = behaviour.seed % 2 === 0;
        const items = isUnits ? unitsOf(tenantOf(mainTenant)) : tenantOf(mainTenant).deals;
        add('GET', `/api/v1/${isUnits ? 'units' : 'deals'}/`, (exchange) => succeed(exchange, 200, { items, nextCursor: null }));
      },
    }],
    ['page-for-three-part-key', 'a key of three parts with dots between them answers 500 in HTML',
      page('key_unknown', (exchange) => /^[^.]+\.[^.]+\.[^.]+$/.test(authorization(exchange)), 500), { needs: vacuous }],
    ['long-key-bare', 'a key of more than 4,096 characters is refused without the envelope',
      bare('key_unknown', (exchange) => authorization(exchange).length > 4_096), { needs: vacuous }],
    ['replay-needs-no-key', 'a create that was made with a key is replayed to callers without one', {
      ...opens((key, { operation }) => !key && operation === 'createLead'),
      ...refuses('createLead', missing, (exchange) => {
        const name = [mainTenant, 'leads', exchange.headers['idempotency-key']].join('\n');
        return readCredentials(exchange).presented === null && !exchange.world.remembered.get(name)?.outcome;
      }),
    }],
    ['bare-401', 'a missing key is refused without the envelope', bare('key_missing'), { needs: vacuous }],
  ]),
  ...faultsOf('AUTH-01', sent)([
    ['any-basic-user-accepted', 'whatever is sent under the scheme Basic opens everything', /^basic /i],
    ['any-bare-value-accepted', 'a value without a scheme opens everything, whatever it is', /^(?!bearer$)\S+$/i],
    ['latin-key-accepted', 'a key with bytes beyond ASCII in it opens everything', /[\x80-\xff]/],
    ['unsigned-token-accepted', 'a JSON Web Token without a signature opens everything', /^Bearer [^.]+\.[^.]+\.$/],
  ]),
  ...faultsOf('AUTH-01', matching)([
    ['wildcard-key', 'a key of one wildcard is any key', (key) => /^[%*]$/.test(key)],
    ['key-suffix-accepted', 'a key with something after it is accepted', (key, own) => key.startsWith(own)],
    ['key-dot-accepted', 'a key with a bare dot after it is accepted', (key, own) => key === `${own}.`],
    ['key-marks-ignored', 'a key is compared without its underscores', (key, own) => plain(key) === plain(own)],
    ['key-list-read', 'a key with a comma or a semicolon and more after it is accepted', (key, own) => key.split(/[,;]/)[0] === own],
    ['key-prefix-accepted', 'a key without its last character is accepted', (key, own) => key === own.slice(0, -1)],
    ['key-last-character-free', 'the last character of a key is not compared', (key, own) => key.length === own.length && key.slice(0, -1) === own.slice(0, -1)],
    ['key-middle-free', 'characters in the middle of a key are not compared', (key, own) => {
      const third = Math.floor(own.length / 3);
      return key.length === own.length && key.startsWith(own.slice(0, third)) && key.endsWith(own.slice(-third));
    }],
  ]),
  ...faultsOf('AUTH-06')([
    ['no-www-authenticate', 'a 401 has no WWW-Authenticate (warned of)', { answer: ({ headers }) => { delete headers['WWW-Authenticate']; } }],
    ['scope-missing-401-for-one-key', 'a missing scope answers 401 to the key that reads units alone (warned of)',
      { failure: (failure, exchange) => failure.code === 'scope_missing' && readCredentials(exchange).key?.scopes.includes('read:inventory') ? new ApiFailure(401, failure.code, failure.message) : failure }],
    ['key-in-query-accepted', 'a key in the query string is accepted (warned of)', reads((sent, { query }) => {
      const key = ['api_key', 'apiKey', 'access_token', 'key', 'token'].flatMap((name) => query[name] ?? []).at(0);
      return sent === '' && key !== undefined ? `Bearer ${key}` : sent;
    })],
    ['key-under-basic-accepted', 'a key under the scheme Basic is accepted (warned of)', readsBasic((value) => value)],
    ['key-as-basic-user-accepted', 'a key as the user of the scheme Basic is accepted (warned of)',
      readsBasic((value) => Buffer.from(value, 'base64').toString('latin1').split(':')[0] ?? '')],
    ['key-echoed', 'the refusal of an unknown key repeats it (warned of)',
      errorWith('key_unknown', (_, exchange) => ({ message: `The API key is not known (${String(readCredentials(exchange).presented)}).` }))],
  ]),
  ...faultsOf('AUTH-06', () => ({}))([
    ['missing-key-403', 'a missing key answers 403 (warned of)', {}, { needs: { 'missing-key-status': '403' } }],
    ['scope-missing-401', 'a missing scope answers 401 (warned of)', {}, { needs: { 'scope-status': '401' } }],
    ['scheme-case-matters', 'the scheme has to be spelt Bearer (warned of)', {}, { needs: { 'credentials-form': 'exact' } }],
    ['key-word-ignored', 'a key with another word after it is accepted (warned of)', {}, { needs: { 'credentials-form': 'first-word' } }],
    ['key-case-ignored', 'a key in other case is accepted (warned of)', {}, { needs: { 'credentials-form': 'any-key-case' } }],
    ['key-percent-decoded', 'a key is percent-decoded before it is compared (warned of)', {}, { needs: { 'credentials-form': 'percent-decoded' } }],
  ]),
];
