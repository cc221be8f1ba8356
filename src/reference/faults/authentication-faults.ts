import { missingKey, scopeFailure } from '../admission.js';
import { succeed } from '../answers.js';
import { ApiFailure } from '../api-failure.js';
import { mainTenant } from '../api-keys.js';
import { percentDecoded, readCredentials } from '../credentials.js';
import { type Exchange, type FaultHooks } from '../instance.js';
import { bare, isPaged, opens, refusal, vacuous } from './change.js';
import { fault, type Fault } from './fault.js';
const authorization = ({ headers }: Exchange): string => headers.authorization ?? '';
const plain = (text: string): string => text.replace(/[^a-z0-9]/gi, '');

const sent = (pattern: RegExp): FaultHooks => opens((_, exchange) => pattern.test(authorization(exchange)));
const matching = (when: (sent: string, key: string) => boolean): FaultHooks => ({
  keyMatches: (matches, presented, key) => matches || when(presented, key),
});

/** The key as Basic credentials carry it: by itself, or encoded as user or password. */
function basicKey(value: string): string {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  return decoded.split(':').find((part) => part.startsWith('dk_')) ?? value;
}

/** Faults of keys, scopes and tenants. */
// prettier-ignore
export const authenticationFaults: readonly Fault[] = [
  fault('no-key-accepted', 'AUTH-01', 'everything works without a key', opens((key) => key === null)),
  fault('empty-key-accepted', 'AUTH-01', 'an empty bearer key opens everything', opens((key) => key === '')),
  fault('slash-needs-no-key', 'AUTH-01', 'a list with a slash at its end is shown without a key',
    {
      keyless: (_, { url }) => url.endsWith('/'),
      routes: (add, { behaviour, tenantOf }) => {
        const { units, deals } = tenantOf(mainTenant);
        const isUnits = behaviour.seed % 2 === 0;
        const items = isUnits ? Array.from(units.placed(), ({ record }) => record) : deals;
        add('GET', `/api/v1/${isUnits ? 'units' : 'deals'}/`, (exchange) => succeed(exchange, 200, { items, nextCursor: null }));
      },
    }),
  fault('unknown-key-accepted', 'AUTH-01', 'any key opens everything', opens((key) => key !== null && key !== '')),
  fault('any-basic-user-accepted', 'AUTH-01', 'whatever is sent under the scheme Basic opens everything',
    sent(/^basic /i)),
  fault('any-bare-value-accepted', 'AUTH-01', 'a value without a scheme opens everything, whatever it is',
    sent(/^(?!bearer$)\S+$/i)),
  fault('latin-key-accepted', 'AUTH-01', 'a key with bytes beyond ASCII in it opens everything', sent(/[\x80-\xff]/)),
  fault('unsigned-token-accepted', 'AUTH-01', 'a JSON Web Token without a signature opens everything', sent(/^Bearer [^.]+\.[^.]+\.$/)),
  fault('page-for-three-part-key', 'AUTH-01', 'a key of three parts with dots between them answers 500 in HTML',
    refusal('key_unknown', (answer, _, exchange) => {
      if (!/^[^.]+\.[^.]+\.[^.]+$/.test(authorization(exchange))) return;
      Object.assign(answer, { status: 500, type: 'text/html', body: '<h1>Internal Server Error</h1>' });
    }),
    { needs: vacuous }),
  fault('long-key-bare', 'AUTH-01', 'a key of more than 4,096 characters is refused without the envelope',
    refusal('key_unknown', (answer, { message }, exchange) => {
      if (authorization(exchange).length > 4_096) answer.body = { message };
    }),
    { needs: vacuous }),
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
  fault('replay-needs-no-key', 'AUTH-01', 'a create that was made with a key is replayed to callers without one',
    {
      keyless: (_, { operation }) => operation === 'createLead',
      handle: ({ operation, caller, headers, world }) => {
        if (operation !== 'createLead' || caller?.key !== null) return;
        const name = [mainTenant, 'leads', headers['idempotency-key']].join('\n');
        if (!world.remembered.get(name)?.outcome) throw missingKey(world);
      },
    }),
  fault('cursor-needs-no-key', 'AUTH-01', 'a request with a cursor needs no key',
    opens((_, exchange) => isPaged(exchange))),
  fault('bare-401', 'AUTH-01', 'a missing key is refused without the envelope',
    bare('key_missing'),
    { needs: vacuous }),
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
      presentedKey: (key, { headers, query }) => {
        const found = ['api_key', 'apiKey', 'access_token', 'key', 'token'].map((name) => query[name]);
        return headers.authorization === undefined ? (found.find((one) => typeof one === 'string') ?? null) : key;
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
    }),
];
