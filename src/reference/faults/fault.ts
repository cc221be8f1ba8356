import type { ApiFailure } from '../api-failure.js';
import type { ApiKey } from '../api-keys.js';
import type { Creation } from '../idempotency/create-once.js';
import type { Deal, Lead, Unit } from '../data/records.js';
import type { Document } from '../document/document.js';
import type { CreateOutcome, Remembered } from '../idempotency/idempotency-keys.js';
import type { Limiter } from '../limiter/compose.js';
import type { LimitedBy, LimitNumber, LimitNumbers, Ruling } from '../limits.js';
import type { Listing } from '../data/list-units.js';
import type { Query } from '../data/paging.js';
import type { Answer, Exchange } from '../request-state.js';
import type { PlacedRecord, TenantStore } from '../data/tenant-store.js';
import type { Routes } from '../routes/routes.js';
import type { EventKind } from '../webhooks/kinds.js';
import type { SignedBody } from '../webhooks/sign.js';
import type { World } from '../world.js';

type Json = Record<string, unknown>;

/**
 * The points at which a fault can change the service. A hook gets the conforming value first, then context. It returns the faulty value, or
 * nothing where it changes nothing (or has changed the value in place). It may throw a refusal.
 */
export interface Hooks {
  // The instance.
  seededUnits(units: readonly Unit[]): readonly Unit[];
  start(world: World): void;
  bodyLimit(bytes: number): number;
  /** Adds routes. */
  routes(routes: Routes, world: World): void;

  // A request, in this order.
  arrive(exchange: Exchange): void;
  presentedKey(key: string | null, exchange: Exchange): string | null;
  keyMatches(matches: boolean, presented: string, key: string): boolean;
  /** The key that a request counts as made with. `presented`: null for none, '' for an empty one. */
  key(key: ApiKey | null, presented: string | null, exchange: Exchange): ApiKey | null;
  /** Whether a request without a key is admitted, with full access to the main tenant. */
  keyless(admitted: boolean, exchange: Exchange): boolean;
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
  body(value: unknown, text: string, bytes: number): unknown;
  failure(failure: ApiFailure, exchange: Exchange): ApiFailure;
  /** Anything that is sent; `failure`: the refusal that it tells of. */
  answer(answer: Answer, exchange: Exchange, failure: ApiFailure | null): Answer;

  // Limits.
  limitNumbers(numbers: LimitNumbers): LimitNumbers;
  /** `source`: the address that the request came from. */
  limiterName(name: string, by: LimitedBy, request: string, source: string): string;
  limiter(limiter: Limiter, by: LimitedBy, numbers: readonly LimitNumber[], name: string): Limiter;
  limitHeaders(headers: Record<string, string>, ruling: Ruling, resetSeconds: number): Record<string, string>;
  limitStatus(status: number): number;

  // Lists, in this order.
  largestPage(most: number, seed: number): number;
  matchingUnits(units: readonly PlacedRecord<Unit>[], listing: Listing): readonly PlacedRecord<Unit>[];
  /** The place after which the page begins. */
  pageStart(after: number, listing: Listing): number;
  pageSize(size: number, listing: Listing): number;
  pageEnds(ends: boolean, listing: Listing, left: number): boolean;
  /** The place that the next cursor names; null for none. */
  nextPlace(place: number | null, listing: Listing, last: number | undefined): number | null;
  listedUnit(shown: Json, unit: PlacedRecord<Unit>, tenant: TenantStore): Json;
  demoQuery(query: Query, sent: Query): Query;

  // Records.
  /** The tenant in which a unit or a lead is looked for. */
  owner(tenant: TenantStore, kind: 'units' | 'leads', id: string, operation: string, world: World): TenantStore;
  readUnit(unit: Unit | null, tenant: TenantStore, exchange: Exchange): Unit | null;
  shownUnit(shown: Json, unit: Unit): Json;
  readLead(shown: Json, lead: Lead): Json;
  /** `index` counts all deals from 0, `page` from 1. */
  shownDeal(shown: Json, deal: Deal, index: number, page: number): Json;
  leadFields(fields: Json): Json;
  /** Valid fields of a new record. */
  accept(fields: Json, kind: 'lead' | 'unit', tenant: TenantStore, world: World): Json;
  /** `before`: the record that a change is made to; null for a new one. */
  storedLead(lead: Lead, before: Lead | null): Lead;
  storedUnit(unit: Unit, before: Unit | null): Unit;
  listedLeads(leads: readonly PlacedRecord<Lead>[], seed: number): readonly PlacedRecord<Lead>[];
  /** The lead that answers a new one, which is stored where there is none. */
  earlierLead(earlier: Lead | undefined, lead: Lead, tenant: TenantStore, seed: number): Lead | undefined;

  // Idempotency keys.
  keyFormat(format: string): string;
  /** The name that a create is remembered by; null for none. */
  keyName(name: string | null, creation: Creation): string | null;
  keysKept(kept: { readonly count: number; readonly ms: number }): { readonly count: number; readonly ms: number };
  /** How long a create takes, and whether its key is known meanwhile. */
  work(work: Work, creation: Creation): Work;
  keepsRefusal(kept: boolean): boolean;
  sameBody(same: boolean, entry: Remembered, creation: Creation): boolean;
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

  // The document, and paths that are planned.
  document(document: Document, seed: number): void;
  inputSchema(schema: Json, name: 'LeadCreate' | 'UnitCreate', seed: number): Json;
  plannedStatus(status: number, index: number, exchange: Exchange, key: ApiKey | null): number;

  // Deliveries.
  deliveries(deliveries: readonly Delivery[], kind: EventKind): readonly Delivery[];
  eventRecord(record: Json, kind: EventKind): Json;
  event(event: Json, kind: EventKind, kindField: string): Json;
  secret(secret: string, tenant: string, kind: EventKind, secrets: ReadonlyMap<string, string>): string;
  signature(signature: string, signed: SignedBody): string;
  sent(message: Message, kind: EventKind): Message;
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

/** Another requirement that a fault cannot help breaking, and why. */
export interface Collateral {
  readonly id: string;
  readonly reason: string;
}

interface Extras {
  /** Variant options without which it could not be seen; the service sets them by itself. */
  readonly needs?: Readonly<Record<string, string>>;
  /** `CONTRACT`: shows only against the faultless document, pinned. */
  readonly setting?: 'CONTRACT';
  /** The section whose checks send what shows it, where its requirement's own check does not. */
  readonly elsewhere?: string;
  /** `certify`: too rare for the gate to meet it in every run. `gate`: a fault of the limits that needs no window. */
  readonly depth?: 'certify' | 'gate';
  /** It goes against the softer part of its requirement: a warning is what it is to get. */
  readonly warns?: true;
}

/** A deliberate breach of one requirement. */
export interface Fault extends Extras {
  /** kebab-case, unique. */
  readonly id: string;
  /** The requirement that it turns red (or, for a SHOULD, yellow). */
  readonly requirement: string;
  readonly description: string;
  readonly collateral?: readonly Collateral[];
  /** Its hooks for one instance of the service, with a memory of their own. */
  makeHooks(): FaultHooks;
}

/** Declares a fault; `also` maps requirement ids that break with it to the reason. */
export function fault(
  id: string,
  requirement: string,
  description: string,
  hooks: FaultHooks | (() => FaultHooks),
  { also = {}, ...extras }: Extras & { readonly also?: Readonly<Record<string, string>> } = {},
): Fault {
  const collateral = Object.entries(also).map(([other, reason]) => ({ id: other, reason }));
  return Object.freeze({
    id,
    requirement,
    description,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...extras,
    makeHooks: typeof hooks === 'function' ? hooks : () => hooks,
  });
}

/** The same reason for several requirements. */
export function because(reason: string, ...ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}
