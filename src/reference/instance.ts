import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiFailure } from './api-failure.js';
import type { ApiKey, KeyPlan } from './api-keys.js';
import type { Lead, Unit } from './data/records.js';
import type { PlacedRecord, TenantStore } from './data/tenant-store.js';
import type { Limiter } from './limiter/compose.js';
import type { Decision } from './limiter/window.js';
import type { VariantOptionName, VariantOptionValue } from './variant-options.js';
import type { EventKind } from './webhooks/kinds.js';

/** An object of JSON. */
export type Json = Record<string, unknown>;

/** The behaviour of an instance: its faults and the value of every variant option. */
export interface Behaviour {
  readonly seed: number;
  option<Name extends VariantOptionName>(name: Name): VariantOptionValue<Name>;
  /** Applies the faults of this instance to what a conforming service would do, the first argument. */
  apply<Name extends keyof Hooks>(name: Name, ...args: Parameters<Hooks[Name]>): Parameters<Hooks[Name]>[0];
}

/** One running instance: its behaviour and everything it remembers. */
export interface World extends Behaviour {
  readonly keys: readonly ApiKey[];
  readonly tenants: ReadonlyMap<string, TenantStore>;
  tenantOf(slug: string): TenantStore;
  /** The tenants as a second machine shows them, if there is one. */
  readonly behind: ReadonlyMap<string, TenantStore>;
  readonly limits: {
    /** Judges one request; `subject` tells keys (or tenants) apart. Only faults look at `request` (method and path); `source` is the address that it came from. */
    rule(by: LimitedBy, subject: string, request: string, nowMs: number, source?: string): Ruling;
  };
  readonly remembered: {
    get(name: string): Remembered | undefined;
    set(name: string, entry: Remembered): void;
    delete(name: string): void;
  };
  readonly sender: {
    setReceiver(tenant: string, url: string): void;
    /** Sends one event of a tenant, if it has a receiver; returns at once. */
    emit(tenant: string, kind: EventKind, record: object): void;
    close(): void;
  };
  readonly secrets: ReadonlyMap<string, string>;
  /** Set once it listens. */
  baseUrl: string;
  /** Reads so far; the machines take turns. */
  reads: number;
}

/** The part of the service that was addressed. */
export type Surface = 'production' | 'second-form' | 'sandbox' | 'demo' | 'other';

/** The admitted caller. */
export interface Caller {
  readonly key: ApiKey | null;
  readonly tenant: TenantStore;
  readonly scopes: readonly string[];
}

/** One request, with its resolved operation, key and tenant, and where it is to be answered. */
export interface Exchange {
  readonly world: World;
  readonly response: ServerResponse;
  /** Names the request in the logs. */
  readonly requestId: string;
  readonly method: string;
  /** As it was sent, with the query. */
  readonly url: string;
  /** The path without the query, under `/api/v1` for every address form. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that it came from. */
  readonly source: string;
  readonly surface: Surface;
  /** Whether it was sent under the second address form. */
  readonly second: boolean;
  /** Empty where no operation was asked for. */
  readonly operation: string;
  readonly scope: string | undefined;
  /** Values of the query; may be changed before a route is reached. */
  readonly query: Record<string, string | undefined>;
  /** The id in the path; may be changed before a route is reached. */
  id: string;
  /** Empty until the caller is admitted. */
  body: Buffer;
  caller: Caller | null;
}

/** The answer to send. A body that is no text and no buffer is sent as JSON. */
export interface Answer {
  status: number;
  /** The whole Content-Type. */
  type: string;
  /** Those besides it. */
  headers: Record<string, string>;
  /** The JSON as a value, or a text. */
  body: unknown;
}

/** The admitted caller of a request that a route handles. */
export function callerOf({ caller }: Exchange): Caller {
  if (caller === null) throw new Error('a route was reached without admission');
  return caller;
}

/** What answers each operation, by its name in the document. */
export type Handlers = Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>>;

/** Adds a route; `:id` at the end of a path stands for any last segment. `operation` is empty for what production does not have. */
export type AddRoute = (
  method: string,
  path: string,
  answer: Handlers[string],
  operation?: string,
  scope?: string,
) => void;

/** The query of a request: each value as often as it was given. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** The requested page; `after` is the place of the last record before it, −1 at the start. */
export interface PageRequest {
  readonly limit: number;
  readonly after: number;
  /** The number of the walk that the cursor names, where it names one. */
  readonly walk?: number;
}

/** A list of units as it is asked for. */
export interface Listing {
  readonly query: Query;
  readonly page: PageRequest;
  readonly status: string | null;
  /** Units that can be seen, of every status. */
  readonly all: readonly PlacedRecord<Unit>[];
  /** Those that the filters leave. */
  readonly matching: readonly PlacedRecord<Unit>[];
}

/** `count` requests in `seconds`. */
export interface LimitNumber {
  readonly count: number;
  readonly seconds: number;
}

/** Everything that has limits of its own. */
export type LimitedBy = KeyPlan | 'demo' | 'sandbox';

/** The numbers of each; the shortest window is the sustained one. */
export type LimitNumbers = Readonly<Record<LimitedBy, readonly LimitNumber[]>>;

/** A decision with the headers that tell of it. */
export interface Ruling extends Decision {
  readonly policies: readonly LimitNumber[];
}

/** The result of a create. */
export interface CreateOutcome {
  readonly status: number;
  readonly record: { readonly id: string };
}

/** The stored state of one key. */
export interface Remembered {
  readonly tenant: string;
  readonly fingerprint: string;
  /** Settles when the create is done; null once it is. */
  pending: Promise<CreateOutcome> | null;
  outcome: CreateOutcome | null;
  refusal: ApiFailure | null;
}

/** The action of a create, and the replay of its answer. */
export interface Creation {
  readonly exchange: Exchange;
  readonly route: 'leads' | 'units';
  readonly tenant: string;
  readonly key: string | undefined;
  readonly body: unknown;
  readonly fingerprint: string;
  /** Validates and stores; throws the refusal. */
  make(): CreateOutcome;
  /** Validates and builds a record with this id, without storing it. */
  build(id: string): CreateOutcome;
  /** The outcome of an earlier create as it is to be shown now. */
  show(outcome: CreateOutcome): CreateOutcome;
}

/** The input of a signature, and whose event it is; `nth` counts deliveries. */
export interface SignedBody {
  readonly tenant: string;
  readonly kind: EventKind;
  readonly body: string | Buffer;
  readonly payload: Record<string, unknown>;
  readonly secret: string;
  readonly secrets: ReadonlyMap<string, string>;
  readonly nth: number;
  readonly encoding: VariantOptionValue<'signature-encoding'>;
}

/** The parts of a document that faults reach for. */
export interface Document extends Json {
  openapi: string;
  info: Json;
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
  webhooks?: Json;
}

/**
 * The points at which a fault can change the service. A hook gets the conforming value first, then context. It returns the faulty value, or
 * nothing where it changes nothing (or has changed the value in place). It may throw a refusal.
 */
export interface Hooks {
  // The instance.
  seededUnits(units: readonly Unit[]): readonly Unit[];
  /** Adds routes. */
  routes(add: AddRoute, world: World): void;

  // A request, in this order.
  arrive(exchange: Exchange): void;
  keyMatches(matches: boolean, presented: string, key: string): boolean;
  /** The key that a request counts as made with. `presented`: null for none, '' for an empty one. */
  key(key: ApiKey | null, presented: string | null, exchange: Exchange): ApiKey | null;
  /** The tenant that is shown; null where another is named, which is refused. `named`: the one that X-Tenant names. */
  tenant(
    tenant: TenantStore | null,
    exchange: Exchange,
    key: ApiKey,
    named: TenantStore | undefined,
  ): TenantStore | null;
  allowed(allowed: boolean, key: ApiKey, exchange: Exchange): boolean;
  /** Before the route is reached; the body is read, not parsed. */
  handle(exchange: Exchange): void;
  failure(failure: ApiFailure, exchange: Exchange): ApiFailure;
  /** Anything that is sent; `failure`: the refusal that it tells of. */
  answer(answer: Answer, exchange: Exchange, failure: ApiFailure | null): Answer;

  // Limits.
  limitNumbers(numbers: LimitNumbers): LimitNumbers;
  /** `source`: the address that the request came from. */
  limiterName(name: string, by: LimitedBy, request: string, source: string): string;
  limiter(limiter: Limiter, by: LimitedBy, numbers: readonly LimitNumber[], name: string): Limiter;
  limitHeaders(headers: Record<string, string>, ruling: Ruling, resetSeconds: number): Record<string, string>;

  // Lists, in this order.
  matchingUnits(units: readonly PlacedRecord<Unit>[], listing: Listing): readonly PlacedRecord<Unit>[];
  /** The place after which the page begins. */
  pageStart(after: number, listing: Listing): number;
  pageEnds(ends: boolean, listing: Listing, left: number): boolean;
  /** The place that the next cursor names; null for none. */
  nextPlace(place: number | null, listing: Listing, last: number | undefined): number | null;

  // Records.
  /** `before`: the record that a change is made to; null for a new one. */
  storedLead(lead: Lead, before: Lead | null): Lead;
  storedUnit(unit: Unit, before: Unit | null): Unit;

  // Idempotency keys.
  /** The name that a create is remembered by; null for none. */
  keyName(name: string | null, creation: Creation): string | null;
  keysKept(kept: { readonly count: number; readonly ms: number }): { readonly count: number; readonly ms: number };
  /** How long a create takes, and whether its key is known meanwhile. */
  work(work: Work, creation: Creation): Work;
  /** The answer to a create whose key is in progress; null to wait. */
  inProgress(outcome: CreateOutcome | null, creation: Creation): CreateOutcome | null;
  /** The answer to a create whose key is known; null for the honest one. */
  replay(
    outcome: CreateOutcome | null,
    entry: Remembered,
    same: boolean,
    creation: Creation,
    name: string,
  ): CreateOutcome | null;

  // The document.
  document(document: Document, seed: number): void;
  inputSchema(schema: Json, name: 'LeadCreate' | 'UnitCreate', seed: number): Json;

  // Deliveries.
  deliveries(deliveries: readonly Delivery[], kind: EventKind): readonly Delivery[];
  /** `data` of the event is its record. */
  event(event: Json, kind: EventKind, kindField: string): Json;
  sent(message: Message, signed: SignedBody): Message;
}

/** How long a create takes, and whether its key is remembered from the start. */
export interface Work {
  readonly ms: number;
  readonly remembered: boolean;
}

/** Whose event goes to whose receiver. */
export interface Delivery {
  readonly tenant: string;
  readonly receiver: string;
}

/** One delivery as it is sent. */
export interface Message {
  headers: Record<string, string>;
  body: Buffer;
}

/** The hooks that a fault has. */
export type FaultHooks = {
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a hook that changes nothing returns nothing
  readonly [Name in keyof Hooks]?: (...args: Parameters<Hooks[Name]>) => ReturnType<Hooks[Name]> | void;
};
