/** One setting: its environment name, what a person should know, and whether its value must never be shown. */
export interface SettingEntry {
  readonly name: string;
  readonly about: string;
  readonly secret?: true;
  readonly fallback?: string;
}

/** Every setting, in the order `.env.example` lists them. */
export const settingTable = [
  {
    name: 'BASE_URL',
    about:
      'Root of the service under test, such as https://staging.example.com. Must be set, unless --embedded asks for the reference service.',
  },
  { name: 'API_BASE_URL', about: 'Second root of the same API, {api_base_url}/v1/…, where the service has one.' },
  { name: 'SANDBOX_URL', about: 'Root of the sandbox, which needs no key, where the service has one.' },
  {
    name: 'CONTRACT',
    about: 'File with a pinned OpenAPI 3.1 document (JSON) that the service has to honour whatever it serves itself.',
  },
  { name: 'API_KEY', secret: true, about: 'Key with full access (admin:*) to the tenant under test.' },
  { name: 'TENANT', about: 'Slug of the tenant under test, sent as X-Tenant.' },
  { name: 'API_KEY_READ_INVENTORY', secret: true, about: 'Key of the same tenant with the scope read:inventory only.' },
  {
    name: 'API_KEY_WRITE_INVENTORY',
    secret: true,
    about: 'Key of the same tenant with the scope write:inventory only.',
  },
  { name: 'API_KEY_READ_LEADS', secret: true, about: 'Key of the same tenant with the scope read:leads only.' },
  { name: 'API_KEY_WRITE_LEADS', secret: true, about: 'Key of the same tenant with the scope write:leads only.' },
  { name: 'API_KEY_READ_DEALS', secret: true, about: 'Key of the same tenant with the scope read:deals only.' },
  { name: 'API_KEY_READ_CALLS', secret: true, about: 'Key of the same tenant with the scope read:calls only.' },
  {
    name: 'OTHER_API_KEY',
    secret: true,
    about:
      'Key with full access to a second tenant, for the isolation checks; API_KEY must have no right to that tenant.',
  },
  { name: 'OTHER_TENANT', about: 'Slug of that second tenant.' },
  {
    name: 'API_KEY_INDEPENDENT',
    secret: true,
    about: 'Key on the Independent plan that nobody else uses while the limits are judged.',
  },
  {
    name: 'API_KEY_FRANCHISE',
    secret: true,
    about: 'Key on the Franchise plan that nobody else uses while the limits are judged.',
  },
  {
    name: 'API_KEY_ENTERPRISE',
    secret: true,
    about: 'Key on the Enterprise plan that nobody else uses while the limits are judged.',
  },
  {
    name: 'API_KEY_INDEPENDENT_2',
    secret: true,
    about:
      'Second key of the same tenant on the Independent plan, used by nobody else; shows whether its limits count by key or by tenant.',
  },
  {
    name: 'API_KEY_FRANCHISE_2',
    secret: true,
    about:
      'Second key of the same tenant on the Franchise plan, used by nobody else; shows whether its limits count by key or by tenant.',
  },
  {
    name: 'API_KEY_ENTERPRISE_2',
    secret: true,
    about:
      'Second key of the same tenant on the Enterprise plan, used by nobody else; shows whether its limits count by key or by tenant.',
  },
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
      'How all limits, those of demo and sandbox too, are to be read: auto, sliding, fixed, bucket, bucket-slow or spill.',
  },
  {
    name: 'LIMIT_SCOPE',
    fallback: 'auto',
    about:
      'What a plan sells its limits for: auto (either is right), key (each key has them to itself) or tenant (all keys of a tenant share them).',
  },
  {
    name: 'CURSOR_PARAM',
    about: 'Name of the query parameter that takes a list cursor; only where the document does not tell.',
  },
  {
    name: 'ASSISTANT_SEGMENT',
    fallback: 'assistant',
    about: 'Path segment that stands for "assistant" in the planned dispatch path.',
  },
  { name: 'SIGNATURE_HEADER', fallback: 'X-Service-Signature', about: 'Header that carries the webhook signature.' },
  { name: 'SIGNING_SECRET', secret: true, about: 'Webhook secret of the tenant under test.' },
  { name: 'OTHER_SIGNING_SECRET', secret: true, about: 'Webhook secret of the second tenant.' },
  {
    name: 'WEBHOOK_LISTEN',
    about:
      'host:port where the suite listens for deliveries; register http://host:port/hooks/main (and /hooks/other for the second tenant) with the service first; host:port/path awaits the first tenant at that path.',
  },
  { name: 'WEBHOOK_TRIGGER', about: 'URL template with {kind}; a POST to it makes the service emit that event.' },
  { name: 'WEBHOOK_RECEIVER', about: 'URL of a webhook receiver to certify.' },
  { name: 'READ_ONLY', about: '1: nothing is created or changed; what needs a write is not applicable.' },
  { name: 'ALLOW_LOAD', about: 'Comma-separated host names that load may be sent to; loopback always may.' },
  { name: 'SEED', about: 'Whole number that replays a random run.' },
] as const satisfies readonly SettingEntry[];

/** The environment name of a setting. */
export type SettingName = (typeof settingTable)[number]['name'];

/** Raw settings by name; absent where not set. */
export type RawSettings = Partial<Record<SettingName, string>>;

/** `BASE_URL` → `--base-url`. */
export function flagOf(name: string): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

/** Names of the settings whose values are secrets. */
export const secretSettings: readonly SettingName[] = settingTable
  .filter((entry) => 'secret' in entry)
  .map((entry) => entry.name);
