import { parseHeaders } from './headers.js';
import { type Limit, parseLimits } from './limits.js';
import { readProxies } from './read-proxies.js';
import { type KeyName, keyNames, settingTable, type RawSettings, type SettingName } from './setting-table.js';
import { requestBody } from './request-body.js';
import { secretsIn } from './secrets-in.js';
import { keyedPlans, type LimitModel, planKeys, type PlanName, planNames, type Target } from './target.js';
import { readTlsContext } from './tls-context.js';
import { wrongSetting } from './wrong-input.js';

const models: readonly LimitModel[] = ['auto', 'sliding', 'fixed', 'bucket', 'bucket-slow', 'spill'];

const printable = /^[\x21-\x7e]+$/;

/** The setting of a plan: `LIMITS_DEMO`. */
const settingOf = <Kind extends 'LIMITS' | 'TENANT', Plan extends PlanName>(kind: Kind, plan: Plan) =>
  `${kind}_${plan.toUpperCase() as Uppercase<Plan>}` as const;

const tenants = ['TENANT', 'OTHER_TENANT', ...keyedPlans.map((plan) => settingOf('TENANT', plan))] as const;

/** What the texts of settings look like. */
const shapes = new Map<SettingName, readonly [pattern: RegExp, expected: string]>([
  ...keyNames.map((name) => [name, [printable, 'the key itself, without "Bearer" before it']] as const),
  ...tenants.map((name) => [name, [printable, 'a value that a header can hold']] as const),
  ['LIMIT_MODEL', [new RegExp(`^(${models.join('|')})$`), `one of ${models.join(', ')}`]],
  ['READ_ONLY', [/^(0|1|true|false)$/i, '1 or 0']],
  ['SEED', [/^\d{1,10}$/, 'a whole number from 0 to 4294967295']],
  ['ASSISTANT_SEGMENT', [/^[A-Za-z0-9._~-]+$/, 'one path segment of letters, digits, ".", "_", "~" or "-"']],
  ['SIGNATURE_HEADER', [/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name']],
]);

/** The keys of one scope and of the second tenant say something only beside other keys; those of plans may be any key. */
function refuseSharedKeys(keys: Readonly<Partial<Record<KeyName, string>>>): void {
  const ofPlans: readonly string[] = Object.values(planKeys);
  const apart = (Object.keys(keys) as KeyName[]).filter((name) => !ofPlans.includes(name));
  for (const [at, name] of apart.entries()) {
    const same = apart.slice(0, at).find((other) => keys[other] === keys[name]);
    if (same !== undefined)
      throw wrongSetting(
        name,
        `the same key as ${same}`,
        'a key of its own, or none, as one key is judged for one purpose',
      );
  }
}

/** Whether a run by these settings creates and changes nothing. */
export const isReadOnly = ({ READ_ONLY = '' }: RawSettings): boolean => /^(1|true)$/i.test(READ_ONLY.trim());

/** Raw settings → one frozen Target; throws SettingsError. `embedded` says that the reference service stands behind BASE_URL. */
export function readTarget(raw: RawSettings, embedded = false): Target {
  const text = (name: SettingName): string | null => {
    const entry = settingTable.find((candidate) => candidate.name === name);
    const value = raw[name]?.trim() || (entry !== undefined && 'fallback' in entry ? entry.fallback : null);
    const [pattern, expected = ''] = shapes.get(name) ?? [];
    const isSecret = entry !== undefined && 'secret' in entry;
    if (value !== null && pattern?.test(value) === false)
      throw wrongSetting(
        name,
        isSecret ? 'a value with blanks, line breaks or characters outside ASCII' : `"${value}"`,
        expected,
      );
    return value;
  };
  const url = (name: SettingName): string | null => {
    const value = text(name);
    if (value === null) return null;
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      // The text before an @ may be a password.
      throw wrongSetting(
        name,
        value.includes('@') ? 'a text with an @ in it that is no such URL' : `"${value}"`,
        'an absolute http or https URL such as https://staging.example.com',
      );
    if (parsed.username || parsed.password)
      throw wrongSetting(name, 'a URL with a user name or password in it', 'a URL without credentials');
    if ((parsed.search || parsed.hash) && name !== 'WEBHOOK_TRIGGER' && name !== 'WEBHOOK_RECEIVER')
      throw wrongSetting(name, 'a URL with a query or a fragment in it', 'a URL without them');
    return value.replace(/(?<!\/)\/+$/, '');
  };
  for (const [name] of shapes) text(name);
  const baseUrl = url('BASE_URL');
  if (baseUrl === null) throw wrongSetting('BASE_URL', 'empty', 'the root of the service under test');
  const keys: Partial<Record<KeyName, string>> = {};
  for (const name of keyNames) {
    const value = text(name);
    if (value !== null) keys[name] = value;
  }
  refuseSharedKeys(keys);
  const limits = (plan: PlanName): readonly Limit[] | null => {
    const name = settingOf('LIMITS', plan);
    const value = text(name);
    return value === null ? null : parseLimits(name, value);
  };
  const seed = text('SEED');
  if (Number(seed) > 0xffffffff) throw wrongSetting('SEED', `"${seed}"`, shapes.get('SEED')?.[1] ?? '');
  const listen = text('WEBHOOK_LISTEN');
  const address = listen === null ? null : /^(\[[0-9a-fA-F:]+\]|[^:/]+):(\d{1,5})(\/[^?#\s]*)?$/.exec(listen);
  if (listen !== null && (address === null || Number(address[2]) > 65_535))
    throw wrongSetting('WEBHOOK_LISTEN', `"${listen}"`, 'host:port or host:port/path, such as 0.0.0.0:8090');
  const trigger = url('WEBHOOK_TRIGGER');
  if (trigger !== null && !trigger.includes('{kind}'))
    throw wrongSetting('WEBHOOK_TRIGGER', `"${trigger}"`, 'a URL that holds {kind}');
  const [apiBaseUrl, sandboxUrl, receiver] = [url('API_BASE_URL'), url('SANDBOX_URL'), url('WEBHOOK_RECEIVER')];
  // No proxy leads to a service inside this process.
  const proxyFor = embedded ? () => null : readProxies(raw);
  for (const one of [baseUrl, apiBaseUrl, sandboxUrl, trigger, receiver]) if (one !== null) proxyFor(one);
  return Object.freeze({
    baseUrl,
    embedded,
    apiBaseUrl,
    sandboxUrl,
    contractFile: text('CONTRACT'),
    leadBody: requestBody('LEAD_BODY', raw),
    unitBody: requestBody('UNIT_BODY', raw),
    keys: Object.freeze(keys),
    tenant: text('TENANT'),
    otherTenant: text('OTHER_TENANT'),
    planTenants: Object.freeze(Object.fromEntries(keyedPlans.map((plan) => [plan, text(settingOf('TENANT', plan))]))),
    headers: Object.freeze(parseHeaders(raw.HEADERS ?? '')),
    network: Object.freeze({
      tls: readTlsContext({ cert: text('CLIENT_CERT'), key: text('CLIENT_KEY'), ca: text('CA') }),
      proxyFor,
    }),
    limits: Object.freeze(
      Object.fromEntries(planNames.map((plan) => [plan, limits(plan)])) as Record<PlanName, readonly Limit[] | null>,
    ),
    limitModel: text('LIMIT_MODEL') as LimitModel,
    cursorParam: text('CURSOR_PARAM'),
    assistantSegment: text('ASSISTANT_SEGMENT') ?? '',
    signatureHeader: text('SIGNATURE_HEADER') ?? '',
    signingSecret: raw.SIGNING_SECRET ?? null,
    otherSigningSecret: raw.OTHER_SIGNING_SECRET ?? null,
    webhookListen:
      address === null
        ? null
        : {
            host: (address[1] ?? '').replace(/^\[|\]$/g, ''),
            port: Number(address[2]),
            ...(address[3] === undefined ? {} : { path: address[3] }),
          },
    webhookTrigger: trigger,
    webhookReceiver: receiver,
    secrets: Object.freeze(secretsIn(raw)),
    readOnly: isReadOnly(raw),
    allowLoad: Object.freeze(
      (text('ALLOW_LOAD') ?? '')
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter(Boolean),
    ),
    seed: seed === null ? null : Number(seed),
  });
}
