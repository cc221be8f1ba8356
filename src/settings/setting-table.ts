/** One setting: its environment name, what a person should know, and whether its value must never be shown. */
export interface SettingEntry {
  readonly name: string;
  readonly about: string;
  readonly secret?: true | 'API key';
  readonly fallback?: string;
  /** Its flag, which may be repeated, where that is not the name of the setting. */
  readonly flag?: string;
}

/** Every setting, in the order `.env.example` lists them. */
export const settingTable = [
  {
    name: 'BASE_URL',
    about:
      'Root of the service under test, such as https://staging.example.com. Required, unless --embedded starts the reference service.',
  },
  { name: 'API_BASE_URL', about: 'Second root of the same API, {api_base_url}/v1/…, where the service has one.' },
  { name: 'SANDBOX_URL', about: 'Root of the sandbox, which needs no key, where the service has one.' },
  {
    name: 'CONTRACT',
    about:
      'File with a pinned OpenAPI 3.1 document (JSON). The service must conform to it, whatever document it serves itself.',
  },
  {
    name: 'LEAD_BODY',
    about:
      'JSON file with the body of a lead that the service accepts, where it asks for more than its document says. The run starts from it and varies what a requirement is about.',
  },
  { name: 'UNIT_BODY', about: 'JSON file with the body of a unit to create that the service accepts, likewise.' },
  { name: 'API_KEY', secret: 'API key', about: 'Key with full access (admin:*) to the tenant under test.' },
  { name: 'TENANT', about: 'Slug of the tenant under test, sent as X-Tenant.' },
  {
    name: 'API_KEY_READ_INVENTORY',
    secret: 'API key',
    about: 'Key of the same tenant with the scope read:inventory only.',
  },
  {
    name: 'API_KEY_WRITE_INVENTORY',
    secret: 'API key',
    about: 'Key of the same tenant with the scope write:inventory only.',
  },
  { name: 'API_KEY_READ_LEADS', secret: 'API key', about: 'Key of the same tenant with the scope read:leads only.' },
  { name: 'API_KEY_WRITE_LEADS', secret: 'API key', about: 'Key of the same tenant with the scope write:leads only.' },
  { name: 'API_KEY_READ_DEALS', secret: 'API key', about: 'Key of the same tenant with the scope read:deals only.' },
  { name: 'API_KEY_READ_CALLS', secret: 'API key', about: 'Key of the same tenant with the scope read:calls only.' },
  {
    name: 'OTHER_API_KEY',
    secret: 'API key',
    about:
      'Key with full access to a second tenant, for the isolation checks; neither this key nor API_KEY may have rights to the tenant of the other.',
  },
  { name: 'OTHER_TENANT', about: 'Slug of that second tenant.' },
  {
    name: 'HEADERS',
    flag: '--header',
    secret: true,
    about:
      'Headers that a proxy before the service requires, sent with every request: NAME: VALUE; several are lines between quotes, or repeat the flag.',
  },
  {
    name: 'CLIENT_CERT',
    about: 'File with the client certificate (PEM) that the service or a proxy before it requires.',
  },
  { name: 'CLIENT_KEY', about: 'File with the private key (PEM, no passphrase) of CLIENT_CERT.' },
  { name: 'CA', about: 'File with the certificates (PEM) of private authorities to trust besides the usual ones.' },
  {
    name: 'PROXY',
    about:
      'Forward proxy for every request, such as http://USER:PASSWORD@proxy.example.com:3128; replaces HTTP_PROXY and HTTPS_PROXY of the environment. Never used for the embedded service.',
  },
  {
    name: 'API_KEY_INDEPENDENT',
    secret: 'API key',
    about: 'Key on the Independent plan that no other client uses while the limits are judged.',
  },
  {
    name: 'API_KEY_FRANCHISE',
    secret: 'API key',
    about: 'Key on the Franchise plan that no other client uses while the limits are judged.',
  },
  {
    name: 'API_KEY_ENTERPRISE',
    secret: 'API key',
    about: 'Key on the Enterprise plan that no other client uses while the limits are judged.',
  },
  {
    name: 'TENANT_INDEPENDENT',
    about: 'Slug of the tenant of API_KEY_INDEPENDENT, where it is not TENANT.',
  },
  { name: 'TENANT_FRANCHISE', about: 'Slug of the tenant of API_KEY_FRANCHISE, likewise.' },
  { name: 'TENANT_ENTERPRISE', about: 'Slug of the tenant of API_KEY_ENTERPRISE, likewise.' },
  {
    name: 'LIMITS_INDEPENDENT',
    fallback: '600/60s,100/1s',
    about: 'Limits sold with the Independent plan, burst then sustained.',
  },
  { name: 'LIMITS_FRANCHISE', fallback: '3000/60s,500/1s', about: 'Limits sold with the Franchise plan.' },
  { name: 'LIMITS_ENTERPRISE', about: 'Limits agreed for the Enterprise key; without them that plan is not judged.' },
  { name: 'LIMITS_DEMO', fallback: '100/60s', about: 'Limit of the demo API.' },
  { name: 'LIMITS_SANDBOX', fallback: '100/60s', about: 'Limit of the sandbox.' },
  {
    name: 'LIMIT_MODEL',
    fallback: 'auto',
    about:
      'How the service counts all limits, those of demo and sandbox too: auto, sliding, fixed, bucket, bucket-slow or spill.',
  },
  {
    name: 'CURSOR_PARAM',
    about: 'Name of the query parameter that takes a list cursor; only if the document does not name it.',
  },
  {
    name: 'ASSISTANT_SEGMENT',
    fallback: 'assistant',
    about: 'Path segment that replaces "assistant" in the planned dispatch path.',
  },
  { name: 'SIGNATURE_HEADER', fallback: 'X-Service-Signature', about: 'Header that carries the webhook signature.' },
  { name: 'SIGNING_SECRET', secret: true, about: 'Webhook secret of the tenant under test.' },
  { name: 'OTHER_SIGNING_SECRET', secret: true, about: 'Webhook secret of the second tenant.' },
  {
    name: 'WEBHOOK_LISTEN',
    about:
      'host:port where the suite listens for deliveries; register http://host:port/hooks/main (and /hooks/other for the second tenant) with the service first; host:port/path awaits the first tenant at that path.',
  },
  {
    name: 'WEBHOOK_TRIGGER',
    about:
      'URL template with {kind}; a POST to it makes the service emit that event. {tenant} becomes main or other; without it, tenant=other is added to the query for the second tenant.',
  },
  { name: 'WEBHOOK_RECEIVER', about: 'URL of a webhook receiver to certify.' },
  {
    name: 'READ_ONLY',
    about:
      '1 (the flag takes no value): the run creates and changes nothing; requirements that need a write are not applicable.',
  },
  { name: 'ALLOW_LOAD', about: 'Comma-separated host names that load may be sent to; loopback is always allowed.' },
  {
    name: 'PACKS',
    about:
      'Comma-separated files with packs of further requirements, such as ./our-pack.js: modules that export one by default.',
  },
  { name: 'SEED', about: 'Whole number that replays a random run.' },
] as const satisfies readonly SettingEntry[];

/** The environment name of a setting. */
export type SettingName = (typeof settingTable)[number]['name'];

/** Variables of the environment by which a machine names its proxies to all its programs. */
export const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/** Raw settings by name; absent where not set. */
export type RawSettings = Partial<Record<SettingName | (typeof proxyVariables)[number], string>>;

/** `BASE_URL` → `--base-url`. */
export function flagOf(name: string): string {
  const entries: readonly SettingEntry[] = settingTable;
  const own = entries.find((entry) => entry.name === name)?.flag;
  if (own !== undefined) return own;
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

/** Names of the settings that hold an API key. */
export type KeyName = Extract<(typeof settingTable)[number], { readonly secret: 'API key' }>['name'];

export const keyNames: readonly KeyName[] = settingTable.flatMap((entry) =>
  'secret' in entry && entry.secret === 'API key' ? entry.name : [],
);

/** Names of the settings whose values are secrets. */
export const secretSettings: readonly SettingName[] = settingTable
  .filter((entry) => 'secret' in entry)
  .map((entry) => entry.name);
