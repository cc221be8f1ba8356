import { createHash } from 'node:crypto';
import { byField, codeAndMessage, listed, messageOnly, numericCodes, problemStyle } from './error-styles.js';
import * as profiles from './unit-profiles.js';

type Kind = 'unit' | 'lead' | 'deal';

const uuid = (kind: Kind, n: number): string => {
  const h = createHash('sha256').update(`${kind}:${n}`).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
};
const numeric = (kind: Kind, n: number): string => String({ unit: 100_000, lead: 7_000_000, deal: 400 }[kind] + n);
const slug = (kind: Kind, n: number): string => `${kind === 'unit' ? 'ford-ranger' : kind}-${2010 + (n % 15)}-${n}`;
const prefixed = (kind: Kind, n: number): string =>
  `${kind.slice(0, 3)}_${createHash('sha1').update(`${kind}${n}`).digest('hex').toUpperCase().slice(0, 16)}`;
const punctuated = (kind: Kind, n: number): string =>
  `${kind === 'unit' ? 'NV' : kind}:${String(n).padStart(4, '0')}.a~1`;
const spaced = (kind: Kind, n: number): string => `${kind === 'unit' ? 'Hof' : kind} ${n}/ä+${n % 7}`;

const hex = (digest: Buffer): string => digest.toString('hex');

/** An option; its first value is the usual one. */
const oneOf = <const T extends string | number | boolean>(...values: readonly [T, ...T[]]): T => values[0];

/** Every option, with the values of the flavour `plain`, which all others differ from. */
const plain = {
  name: 'plain',
  brand: 'Service',
  assistant: 'assistant',
  addresses: {
    base: '',
    secondForm: oneOf('root', 'prefix', 'port'),
    sandbox: true,
    trailingSlash: false,
    head: true,
    otherMethods: oneOf(405, 404, 501, 400),
  },
  tenants: {
    main: 'northside-motors',
    other: 'lakeview-autos',
    mismatch: oneOf('refuse', 'ignore'),
    requiredOnSecond: false,
    planKeys: oneOf('own', 'main'),
  },
  keys: { prefix: 'dk_live_', looseScheme: true, writeImpliesRead: false },
  ids: { of: uuid, unknownIsBadRequest: false },
  units: {
    profile: profiles.standardUnit,
    count: 37,
    otherCount: 9,
    newestFirst: false,
    adminSeesPersonal: false,
    unknownStatus: oneOf('empty', 'refuse'),
  },
  /** How the list of units is written, and the methods by which one unit is. */
  writes: {
    form: oneOf('post', 'patch', 'put-bulk', 'post-bulk'),
    status: 201,
    reply: oneOf('unit', 'wrapped', 'id'),
    one: ['PATCH', 'DELETE'],
  },
  limit: { standard: 20, max: 100, above: oneOf('clamp', 'refuse'), odd: oneOf('refuse', 'standard') },
  cursor: {
    param: 'cursor',
    style: oneOf('opaque', 'numeric', 'id', 'padded', 'token'),
    end: oneOf('null', 'absent', 'empty'),
    lazy: false,
    invalid: oneOf('refuse', 'first'),
  },
  leads: {
    shape: oneOf('flat', 'nested', 'contact', 'id-only'),
    status: 201,
    second: oneOf('list', 'put', 'patch', 'lookup'),
    item: true,
  },
  leadRules: {
    required: ['name', 'phone', 'vehicleId'],
    phone: oneOf('strict', 'plus', 'any'),
    vehicle: oneOf('must-exist', 'any'),
    sources: [] as string[],
    nameMax: 200,
  },
  /** How request bodies are read. */
  bodies: { extra: oneOf('ignore', 'refuse'), contentType: oneOf('strict', 'any'), writeMs: 4 },
  deals: { method: oneOf('GET', 'POST'), key: oneOf('items', 'deals'), count: 5 },
  errors: { style: codeAndMessage, planned: oneOf('envelope', 'empty', 'html') },
  demo: { shape: oneOf('array', 'items', 'page'), errors: oneOf('envelope', 'bare'), standard: 20 },
  idem: {
    required: false,
    format: oneOf('any', 'uuid'),
    replay: oneOf('same-with-header', 'same', 'ok-status'),
    otherBody: oneOf('conflict', 'replay'),
    inFlight: oneOf('wait', 'refuse'),
    keepFailures: false,
    per: oneOf('tenant', 'key'),
    print: oneOf('canonical', 'raw'),
  },
  hook: {
    shape: oneOf('type-data', 'event-payload', 'flat', 'header-only', 'cloud'),
    signature: hex,
    delayMs: 0,
    leadEmits: true,
  },
  rate: { header: oneOf('plain', 'policies', 'minute'), onRefused: true, retryAfter: true },
  contentType: 'application/json; charset=utf-8',
  doc: {
    refs: oneOf('components', 'inline', 'heavy'),
    errors: oneOf('explicit', 'default', '4XX', 'none'),
    servers: oneOf('slash', 'none', 'absolute', 'api-v1', 'relative', 'variables'),
    webhooks: oneOf('per-kind', 'none', 'single'),
    planned: false,
    mediaType: 'application/json',
    pathLevel: false,
    loose: false,
    version: '3.1.0',
  },
};

export type Flavour = typeof plain;

/** What is otherwise than in a flavour. */
export type FlavourChange = {
  [Group in keyof Flavour]?: Flavour[Group] extends string ? string : Partial<Flavour[Group]>;
};

export const changed = (flavour: Flavour, change: FlavourChange): Flavour => {
  const changes = new Map<string, unknown>(Object.entries(change));
  const groups = Object.entries(flavour).map(([name, group]) => [
    name,
    typeof group === 'string' ? (changes.get(name) ?? group) : { ...group, ...(changes.get(name) as object) },
  ]);
  return Object.fromEntries(groups) as Flavour;
};

const differences: Readonly<Record<string, Omit<FlavourChange, 'name'>>> = {
  // Numeric ids and error codes, PATCH on the unit collection, PUT on leads, the second form on its own port.
  ledger: {
    addresses: { secondForm: 'port', trailingSlash: true, head: false, otherMethods: 404 },
    tenants: { main: 'd1001', other: 'd1002' },
    keys: { prefix: '', looseScheme: false, writeImpliesRead: true },
    ids: { of: numeric, unknownIsBadRequest: true },
    units: { profile: profiles.snakeUnit, count: 64, unknownStatus: 'refuse' },
    writes: { form: 'patch', status: 200, reply: 'wrapped', one: [] },
    limit: { standard: 10, max: 50, above: 'refuse' },
    cursor: { param: 'after', style: 'numeric', lazy: true },
    leads: { shape: 'nested', status: 200, second: 'put', item: false },
    leadRules: { sources: ['web', 'phone', 'walk-in'] },
    bodies: { extra: 'refuse' },
    deals: { key: 'deals', count: 4 },
    errors: { style: numericCodes, planned: 'html' },
    demo: { shape: 'items', errors: 'bare', standard: 10 },
    idem: { required: true, format: 'uuid', replay: 'same', inFlight: 'refuse', keepFailures: true, print: 'raw' },
    hook: { shape: 'event-payload', signature: (d) => `sha256=${hex(d)}`, delayMs: 15, leadEmits: false },
    rate: { header: 'policies' },
    contentType: 'application/json',
    doc: { refs: 'inline', errors: '4XX', servers: 'api-v1', webhooks: 'none' },
  },
  // Three units of two fields each, no deals at all, a loose document, lenient validation.
  boutique: {
    brand: 'Velours',
    assistant: 'margot',
    addresses: { sandbox: false, otherMethods: 400 },
    tenants: { main: 'velours-paris', other: 'velours-lyon', mismatch: 'ignore', planKeys: 'main' },
    keys: { prefix: 'sk-' },
    ids: { of: slug },
    units: { profile: profiles.bareUnit, count: 3, otherCount: 2 },
    writes: { form: 'put-bulk', status: 200, reply: 'id', one: ['PUT'] },
    limit: { standard: 100, max: 1000, odd: 'standard' },
    cursor: { param: 'page_token', style: 'id', end: 'absent', invalid: 'first' },
    leads: { shape: 'id-only', status: 202, second: 'patch', item: false },
    leadRules: { required: [], phone: 'any', vehicle: 'any', nameMax: 5000 },
    bodies: { contentType: 'any', writeMs: 0 },
    deals: { count: 0 },
    errors: { style: messageOnly, planned: 'empty' },
    demo: { errors: 'bare', standard: 100 },
    idem: { replay: 'ok-status', otherBody: 'replay', print: 'raw' },
    hook: { shape: 'flat', signature: (d) => d.toString('base64'), delayMs: 5 },
    rate: { header: 'minute', onRefused: false, retryAfter: false },
    contentType: 'application/json',
    doc: { refs: 'inline', errors: 'none', servers: 'none', webhooks: 'none', loose: true },
  },
  // A rich document (allOf, oneOf, patternProperties, path-item refs, escaped pointers), bulk POST of units, the second form behind a prefix.
  harbour: {
    addresses: { base: '/harbour', secondForm: 'prefix' },
    tenants: { main: 'pier-7', other: 'pier-9', requiredOnSecond: true },
    keys: { prefix: 'harbour.' },
    ids: { unknownIsBadRequest: true },
    units: { profile: profiles.nestedUnit, count: 26, newestFirst: true, unknownStatus: 'refuse' },
    writes: { form: 'post-bulk', status: 200, reply: 'wrapped', one: ['DELETE'] },
    limit: { standard: 25, max: 50 },
    cursor: { param: 'pageToken', style: 'padded', end: 'empty' },
    leads: { shape: 'contact', second: 'lookup' },
    leadRules: { nameMax: 120 },
    bodies: { extra: 'refuse' },
    deals: { count: 12 },
    errors: { style: problemStyle, planned: 'html' },
    demo: { shape: 'page', standard: 25 },
    idem: { required: true, format: 'uuid', replay: 'same' },
    hook: { shape: 'cloud', signature: (d) => `v1=${hex(d)}`, delayMs: 10 },
    rate: { header: 'policies' },
    doc: {
      refs: 'heavy',
      errors: 'default',
      servers: 'absolute',
      webhooks: 'single',
      planned: true,
      mediaType: 'application/json; charset=utf-8',
      pathLevel: true,
      version: '3.1.1',
    },
  },
  // Polymorphic units without a declared enum of statuses, 404 in place of 403, deals searched by POST only, a relative server URL.
  ranch: {
    addresses: { otherMethods: 501 },
    tenants: { main: 'circle-k', other: 'lazy-j' },
    keys: { prefix: 'rk-' },
    ids: { of: prefixed },
    units: { profile: profiles.polymorphicUnit, count: 15 },
    writes: { status: 200, reply: 'id', one: ['PUT', 'PATCH', 'DELETE'] },
    limit: { standard: 50, max: 500, above: 'refuse', odd: 'standard' },
    cursor: { param: 'starting_after', style: 'id' },
    leads: { shape: 'contact', status: 200, second: 'put', item: false },
    leadRules: { phone: 'plus', vehicle: 'any' },
    bodies: { contentType: 'any' },
    deals: { method: 'POST', key: 'deals', count: 3 },
    errors: { style: listed, planned: 'empty' },
    demo: { errors: 'bare', standard: 5 },
    idem: { replay: 'ok-status', per: 'key', print: 'raw' },
    hook: { shape: 'header-only', signature: (d) => d.toString('base64url'), leadEmits: false },
    rate: { onRefused: false },
    doc: { errors: 'default', servers: 'relative', webhooks: 'none' },
  },
  // Forty-odd fields a unit, server-side cursors, a lazy last page, another body replays, a document with server variables.
  metro: {
    brand: 'Metro',
    assistant: 'otto',
    addresses: { secondForm: 'prefix', trailingSlash: true },
    tenants: { main: 'metro_a', other: 'metro_b', planKeys: 'main' },
    keys: { prefix: 'M' },
    ids: { of: punctuated },
    units: { profile: profiles.wideUnit, count: 120, otherCount: 30 },
    writes: { form: 'patch', status: 200, one: ['DELETE'] },
    limit: { standard: 50, max: 200, odd: 'standard' },
    cursor: { param: 'nextCursor', style: 'token', lazy: true },
    leads: { status: 202, item: false },
    leadRules: { required: ['name', 'phone'], phone: 'any', vehicle: 'any' },
    deals: { count: 30 },
    errors: { style: { ...codeAndMessage, status: { ...codeAndMessage.status, invalid_fields: 400, conflict: 400 } } },
    demo: { shape: 'items', standard: 50 },
    idem: { replay: 'same', otherBody: 'replay', inFlight: 'refuse', print: 'raw' },
    hook: { signature: (d) => hex(d).toUpperCase(), delayMs: 25, leadEmits: false },
    rate: { header: 'minute' },
    doc: { refs: 'heavy', errors: '4XX', servers: 'variables', pathLevel: true },
  },
  // Closed schemas everywhere, sellers shown to administrators only, a required idempotency key.
  atelier: {
    tenants: { main: 'atelier-un', other: 'atelier-deux' },
    keys: { prefix: 'atl_', looseScheme: false },
    ids: { of: prefixed },
    units: { profile: profiles.closedUnit, count: 12, adminSeesPersonal: true, unknownStatus: 'refuse' },
    writes: { one: ['PATCH'] },
    limit: { standard: 50, max: 50, above: 'refuse' },
    cursor: { param: 'after', end: 'absent' },
    leads: { shape: 'nested' },
    leadRules: { sources: ['website', 'marketplace', 'showroom', 'referral'], nameMax: 100 },
    bodies: { extra: 'refuse' },
    deals: { key: 'deals', count: 6 },
    demo: { standard: 50 },
    idem: { required: true, format: 'uuid', replay: 'same', keepFailures: true },
    hook: { signature: (d) => `sha256=${d.toString('base64')}` },
    rate: { header: 'policies' },
    doc: { servers: 'none', webhooks: 'single', planned: true },
  },
  // Resource-style units, ids with spaces, slashes and umlauts, lenient input, plan keys of the main tenant, a bare document.
  kiosk: {
    addresses: { sandbox: false, otherMethods: 404 },
    tenants: { main: 'kiosk', other: 'kiosk-2', mismatch: 'ignore', planKeys: 'main' },
    keys: { prefix: 'kiosk-', writeImpliesRead: true },
    ids: { of: spaced },
    units: { profile: profiles.resourceUnit, count: 3, otherCount: 3 },
    writes: { form: 'post-bulk', reply: 'id', one: [] },
    limit: { standard: 2, max: 50, odd: 'standard' },
    cursor: { style: 'padded', end: 'absent', lazy: true, invalid: 'first' },
    leads: { shape: 'id-only', second: 'lookup', item: false },
    leadRules: { required: ['phone'], phone: 'any', vehicle: 'any', nameMax: 2000 },
    bodies: { contentType: 'any' },
    deals: { count: 1 },
    errors: {
      style: { ...messageOnly, status: { ...messageOnly.status, missing_key: 403, invalid_key: 403 } },
      planned: 'html',
    },
    demo: { shape: 'items', errors: 'bare', standard: 3 },
    idem: { replay: 'same' },
    hook: { shape: 'flat', leadEmits: false },
    rate: { header: 'minute' },
    doc: { refs: 'inline', errors: 'default', webhooks: 'none', pathLevel: true, loose: true },
  },
  // A base path, the second form on its own port, servers /…/api/v1, PATCH of leads in bulk style, errors named by field.
  freight: {
    addresses: { base: '/freight', secondForm: 'port', head: false },
    tenants: { main: 'freight-eu', other: 'freight-us', requiredOnSecond: true },
    keys: { prefix: 'fr8:' },
    ids: { of: numeric },
    units: { profile: profiles.snakeUnit, count: 51, newestFirst: true },
    writes: { form: 'put-bulk', status: 202, reply: 'wrapped', one: ['PATCH'] },
    limit: { standard: 50, max: 50 },
    cursor: { param: 'page', style: 'token', end: 'empty' },
    leads: { status: 200, second: 'patch' },
    leadRules: { phone: 'plus' },
    deals: { key: 'deals', count: 8 },
    errors: { style: byField, planned: 'empty' },
    demo: { shape: 'page', errors: 'bare', standard: 10 },
    idem: { replay: 'ok-status', inFlight: 'refuse' },
    hook: { shape: 'event-payload', signature: (d) => `v1,${d.toString('base64')}`, delayMs: 3 },
    contentType: 'application/json;charset=UTF-8',
    doc: { servers: 'api-v1', webhooks: 'single', planned: true, pathLevel: true },
  },
  // Leads are looked up by phone, units are written by PUT, replays of what is in progress are refused.
  orchard: {
    addresses: { otherMethods: 501 },
    tenants: { main: 'orchard', other: 'meadow' },
    keys: { prefix: 'orc_' },
    ids: { of: slug },
    units: { profile: profiles.wideUnit, count: 8 },
    writes: { form: 'put-bulk', status: 200, reply: 'wrapped', one: ['PUT', 'DELETE'] },
    cursor: { param: 'next', style: 'numeric', end: 'absent', lazy: true, invalid: 'first' },
    leads: { shape: 'nested', second: 'lookup' },
    leadRules: { nameMax: 80, phone: 'plus' },
    deals: { method: 'POST', count: 7 },
    errors: { style: problemStyle, planned: 'html' },
    demo: { shape: 'page', standard: 8 },
    idem: { inFlight: 'refuse', format: 'uuid' },
    hook: { shape: 'cloud', signature: (d) => `hmac-sha256 ${hex(d)}`, leadEmits: false },
    rate: { header: 'policies' },
    doc: { refs: 'inline', errors: '4XX', servers: 'absolute', mediaType: 'application/json; charset=utf-8' },
  },
};

export const flavours: readonly Flavour[] = [
  plain,
  ...Object.entries(differences).map(([name, change]) => changed(plain, { name, ...change })),
];
