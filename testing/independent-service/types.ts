/** Shapes shared by every part of the independent implementation. */
export type JsonObject = { [key: string]: Json };
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type ErrorCode =
  | 'missing_key'
  | 'invalid_key'
  | 'forbidden'
  | 'tenant'
  | 'not_found'
  | 'bad_request'
  | 'invalid_fields'
  | 'conflict'
  | 'in_progress'
  | 'too_large'
  | 'unsupported'
  | 'method'
  | 'rate';

export type FieldProblem = { readonly field: string; readonly reason: string };

export type ErrorStyle = {
  readonly status: Readonly<Record<ErrorCode, number>>;
  readonly body: (code: ErrorCode, status: number, message: string, fields: readonly FieldProblem[]) => JsonObject;
  readonly schema: JsonObject;
};

export type FieldType = 'string' | 'integer' | 'number';

export type UnitProfile = {
  /** JSON Schema of a unit record, as published. */
  readonly schema: JsonObject;
  /** Further named schemas the unit schema refers to. */
  readonly parts: Readonly<Record<string, JsonObject>>;
  /** Every declared status; the last one is carried by no seeded unit. */
  readonly statuses: readonly string[];
  readonly make: (id: string, n: number, status: string) => JsonObject;
  readonly input: Readonly<Record<string, FieldType>>;
  readonly inputRequired: readonly string[];
  readonly apply: (unit: JsonObject, input: JsonObject) => JsonObject;
  /** A required non-id, non-status property (for breaches of the own document), if any. */
  readonly probe?: string;
  readonly closed: boolean;
};

export type UnitsWrite = 'post' | 'patch' | 'put-bulk' | 'post-bulk';
export type LeadsSecond = 'list' | 'put' | 'patch' | 'lookup';
export type LeadShape = 'flat' | 'nested' | 'contact' | 'id-only';
export type LimiterKind = 'sliding-log' | 'fixed-window' | 'clock-window' | 'token-bucket';

export type Flavour = {
  readonly name: string;
  readonly description: string;
  readonly brand: string;
  readonly assistant: string;
  readonly basePath: string;
  readonly secondForm: 'root' | 'prefix' | 'port';
  readonly sandbox: boolean;
  readonly slugs: { readonly main: string; readonly other: string };
  readonly tenantMismatch: 'refuse' | 'ignore';
  readonly tenantRequiredOnSecond: boolean;
  readonly planKeys: 'own' | 'main';
  readonly keyPrefix: string;
  readonly looseScheme: boolean;
  readonly writeImpliesRead: boolean;
  readonly id: (kind: 'unit' | 'lead' | 'deal', n: number) => string;
  readonly unknownIdIsBadRequest: boolean;
  readonly units: UnitProfile;
  readonly unitCount: number;
  readonly otherCount: number;
  readonly newestFirst: boolean;
  readonly adminSeesPersonal: boolean;
  readonly limit: {
    readonly standard: number;
    readonly max: number;
    readonly above: 'clamp' | 'refuse';
    readonly odd: 'refuse' | 'standard';
  };
  readonly cursor: {
    readonly param: string;
    readonly style: 'opaque' | 'numeric' | 'id' | 'padded' | 'token';
    readonly end: 'null' | 'absent' | 'empty';
    readonly lazy: boolean;
    readonly invalid: 'refuse' | 'first';
  };
  readonly unknownStatus: 'empty' | 'refuse';
  readonly unitsWrite: UnitsWrite;
  readonly unitsWriteStatus: number;
  readonly unitsWriteReply: 'unit' | 'wrapped' | 'id';
  readonly unitMethods: readonly ('GET' | 'PATCH' | 'PUT' | 'DELETE')[];
  readonly leadShape: LeadShape;
  readonly leadStatus: number;
  readonly leadsSecond: LeadsSecond;
  readonly leadItem: boolean;
  readonly leadRules: {
    readonly required: readonly string[];
    readonly phone: 'strict' | 'plus' | 'any';
    readonly vehicle: 'must-exist' | 'any';
    readonly sources: readonly string[];
    readonly extra: 'ignore' | 'refuse';
    readonly nameMax: number;
    readonly contentType: 'strict' | 'any';
  };
  readonly deals: { readonly method: 'GET' | 'POST'; readonly key: 'items' | 'deals'; readonly count: number };
  readonly errors: ErrorStyle;
  readonly otherMethods: 405 | 404 | 501 | 400;
  readonly allowHead: boolean;
  readonly trailingSlash: boolean;
  readonly planned: 'html' | 'empty' | 'envelope';
  readonly demo: {
    readonly shape: 'array' | 'items' | 'page';
    readonly errors: 'envelope' | 'bare';
    readonly standard: number;
  };
  readonly idem: {
    readonly required: boolean;
    readonly format: 'uuid' | 'any';
    readonly replay: 'same' | 'same-with-header' | 'ok-status';
    readonly otherBody: 'conflict' | 'replay';
    readonly inFlight: 'wait' | 'refuse';
    readonly keepFailures: boolean;
    readonly per: 'tenant' | 'key';
    readonly print: 'raw' | 'canonical';
  };
  readonly signature: (digest: Buffer) => string;
  readonly hook: {
    readonly shape: 'type-data' | 'event-payload' | 'flat' | 'header-only' | 'cloud';
    readonly delayMs: number;
    readonly leadEmits: boolean;
  };
  readonly limiter: LimiterKind;
  readonly rateHeader: 'plain' | 'policies' | 'minute';
  readonly rateOnRefused: boolean;
  readonly retryAfter: boolean;
  readonly contentType: string;
  readonly writeMs: number;
  readonly doc: {
    readonly refs: 'inline' | 'components' | 'heavy';
    readonly errors: 'default' | 'explicit' | '4XX' | 'none';
    readonly servers: 'none' | 'slash' | 'absolute' | 'api-v1' | 'relative' | 'variables';
    readonly webhooks: 'none' | 'per-kind' | 'single';
    readonly planned: boolean;
    readonly mediaType: string;
    readonly pathLevel: boolean;
    readonly loose: boolean;
    readonly version: string;
  };
};

export type Scope =
  'read:inventory' | 'write:inventory' | 'read:leads' | 'write:leads' | 'read:deals' | 'read:calls' | 'admin:*';
export type Plan = 'independent' | 'franchise' | 'enterprise';
export type ApiKey = {
  readonly token: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly plan: Plan;
};

export type UnitState = { readonly seq: number; record: JsonObject };
export type LeadState = {
  readonly id: string;
  name: string;
  phone: string;
  vehicleId: string;
  source: string | null;
  readonly createdAt: string;
};

export type Tenant = {
  readonly name: string;
  readonly slug: string;
  readonly secret: string;
  readonly units: Map<string, UnitState>;
  readonly leads: Map<string, LeadState>;
  readonly deals: JsonObject[];
  receiver: string | null;
};

export type Reply = {
  status: number;
  json?: Json;
  text?: string;
  type?: string;
  headers?: Record<string, string>;
};

export type AddressForm = 'first' | 'second' | 'sandbox';

export type Call = {
  readonly method: string;
  readonly form: AddressForm;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
  readonly tooLarge: boolean;
  tenant: Tenant;
  key: ApiKey | null;
};
