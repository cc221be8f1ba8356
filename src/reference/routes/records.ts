import { ApiFailure, invalidInput } from '../api-failure.js';
import { succeed } from '../answers.js';
import type { Lead, Unit } from '../data/records.js';
import { undeclaredField } from '../document/input-schemas.js';
import { createOnce } from '../idempotency/create-once.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { callerOf, type Exchange, type Json, type World } from '../instance.js';
import { readJson } from '../read-json.js';
import { violations, withoutInvalid } from '../validate.js';

type Records = { readonly unit: Unit; readonly lead: Lead };
type Kind = keyof Records;

/** The refusal of an id that no record has. */
export function noSuch(kind: Kind | 'deal', world: World): ApiFailure {
  return new ApiFailure(Number(world.option('unknown-id-status')), `${kind}_not_found`, `There is no such ${kind}.`);
}

/** The refusal of a record that is not valid. */
export function invalid(kind: Kind, world: World, ...issues: readonly string[]): ApiFailure {
  return invalidInput(world, `invalid_${kind}`, `The ${kind} is not valid.`, issues);
}

/** `data` around one record. */
export function placed(kind: Kind, record: Json, world: World): Json {
  return world.option(`${kind}-place`) === 'nested' ? { [kind]: record } : record;
}

/** A record of the tenant; throws the refusal where there is none. */
export function find<K extends Kind>(kind: K, exchange: Exchange, id = exchange.id): Records[K] {
  const record = callerOf(exchange).tenant[`${kind}s`].get(id) as Records[K] | undefined;
  if (record === undefined) throw noSuch(kind, exchange.world);
  return record;
}

/** The fields of a body, or the refusal. */
export function checked(kind: Kind, body: unknown, schema: object, world: World): Json {
  const fields = world.option('invalid-optional') === 'left-out' ? withoutInvalid(body, schema) : body;
  const found = violations(schema, fields);
  if (found.length > 0) throw invalid(kind, world, ...found);
  return fields as Json;
}

/** The fields of a new record, or the refusal. */
export function checkedNew(kind: Kind, body: unknown, schema: object, world: World): Json {
  const fields = checked(kind, body, schema, world);
  const further = undeclaredField(world);
  if (further !== null && fields[further] === undefined) throw invalid(kind, world, `/${further} is missing`);
  return fields;
}

/** How units, or leads, are created. */
interface Way<T> {
  /** Validates and builds a record, without storing it. */
  build(body: unknown, id: string): T;
  /** Stores it, or gives the record that answers in its place. */
  store(record: T): T;
  /** An earlier record as it is to be shown now. */
  now(record: T): T;
  data(record: T): Json;
}

/** Creates a record, once for each key, and answers. */
export async function create<K extends Kind>(kind: K, exchange: Exchange, way: Way<Records[K]>): Promise<void> {
  const { headers, world } = exchange;
  const { tenant } = callerOf(exchange);
  const body = readJson(exchange);
  const status = Number(world.option('create-status'));
  const made = await createOnce({
    exchange,
    route: `${kind}s`,
    tenant: tenant.slug,
    key: headers['idempotency-key'] as string | undefined,
    body,
    fingerprint: fingerprint(body, exchange.body),
    build: (id) => ({ status, record: way.build(body, id) }),
    make: () => ({ status, record: way.store(way.build(body, tenant.newId(kind))) }),
    show: ({ status, record }) => ({ status, record: way.now(record as Records[K]) }),
  });
  const Location = `/api/v1/${kind}s/${made.record.id}`;
  succeed(exchange, made.status, way.data(made.record as Records[K]), { Location });
}
