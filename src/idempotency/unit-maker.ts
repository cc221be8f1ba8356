import { asObject, idIn, idOf, isGone, isSuccess, paths, recordIn, settled, walk } from '../service/index.js';
import { removeUnit, unitCreation, unitsIfReadable } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import { home, type Party } from './request-log.js';

/** A unit to create, and the texts in it that no other unit has, by their fields. */
export interface UnitBody {
  readonly json: Record<string, unknown> | null;
  readonly marks: readonly (readonly [string, string])[];
}

/** Units as one answer or several show them. */
interface Listed {
  readonly ids: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** Creates units under given keys, knows them again, and takes them away in the end. */
export interface UnitMaker {
  /** Whether a field of its bodies distinguishes units. */
  readonly tells: boolean;
  /** A new body, unlike all others in its marks. */
  body(): UnitBody;
  post(key: string, body: UnitBody, party?: Party): Promise<Exchange>;
  /** Units of the home tenant's list that were made of the body, each once. */
  listed(body: UnitBody): Promise<Listed>;
  /** The answer of the declared operation on a single unit, and the unit where it shows one; null where none is declared. */
  read(
    id: string,
    party?: Party,
  ): Promise<{ readonly record: Record<string, unknown> | null; readonly exchange: Exchange } | null>;
  clear(): Promise<void>;
}

/** How many bodies have to differ in a field before it tells one unit from another. */
const samples = 5;

function matches(record: unknown, [field, value]: readonly [string, string]): boolean {
  const shown = asObject(record)?.[field];
  return typeof shown === 'string' && shown.toLowerCase() === value.toLowerCase();
}

/** Whether a record shows something that is the body's alone. */
export function showsUnit(record: unknown, body: UnitBody): boolean {
  return body.marks.some((mark) => matches(record, mark));
}

/** Whether a record was made of the body: it shows marks, and none that are another's. */
function madeOf(record: unknown, body: UnitBody): boolean {
  const shown = body.marks.filter(([field]) => typeof asObject(record)?.[field] === 'string');
  return shown.length > 0 && shown.every((mark) => matches(record, mark));
}

/** Null where the operation that creates a unit takes no key. */
export async function unitMaker(check: Check): Promise<UnitMaker | null> {
  const creation = await unitCreation(check);
  if (creation === null || !creation.takesKey) return null;
  const bodies = Array.from({ length: samples }, () => asObject(creation.body(check)));
  const known = new Set((await unitsIfReadable(check)).flatMap((unit) => Object.values(asObject(unit) ?? {})));
  const fields = Object.keys(bodies[0] ?? {}).filter((field) => {
    const values = bodies.map((body) => body?.[field]);
    return values.every((value) => typeof value === 'string') && new Set(values).size === samples;
  });
  const marksOf = (json: Record<string, unknown> | null): [string, string][] =>
    fields.flatMap((field): [string, string][] => {
      const value = json?.[field];
      return typeof value === 'string' && value.length >= 6 && !known.has(value) ? [[field, value]] : [];
    });
  const { contract } = await check.contract();
  const sent: UnitBody[] = [];
  const made = new Map<string, { readonly id: string; readonly party: Party }>();
  const remember = (id: string | null, party: Party): void => {
    if (id !== null) made.set(`${party.name} ${id}`, { id, party });
  };
  return {
    tells: marksOf(bodies[0] ?? null).length > 0,
    body: () => {
      const json = asObject(creation.body(check));
      return { json, marks: marksOf(json) };
    },
    async post(key, body, party = home) {
      sent.push(body);
      const headers = [['idempotency-key', key]] as const;
      const exchange = await check.send({
        ...party.options,
        method: 'POST',
        path: paths.units,
        json: body.json,
        headers,
      });
      if (isSuccess(exchange)) remember(idIn(exchange), party);
      return exchange;
    },
    async listed(body) {
      const { items, pages } = await walk(check, { limit: 50, maxPages: 40 });
      for (const item of items) if (sent.some((one) => madeOf(item, one))) remember(idOf(item), home);
      const found = items.filter((item) => madeOf(item, body)).map((item) => idOf(item) ?? JSON.stringify(item));
      const showing = pages.filter((page) => page.items?.some((item) => madeOf(item, body)));
      return { ids: [...new Set(found)], exchanges: showing.map((page) => page.exchange) };
    },
    async read(id, party = home) {
      if (contract.operation('GET', paths.unit(id)) === null) return null;
      const exchange = await settled(
        check,
        () => check.send({ ...party.options, path: paths.unit(id) }),
        (one) => !isGone(one),
      );
      return { record: recordIn(exchange, id), exchange };
    },
    async clear() {
      for (const { id, party } of made.values()) await removeUnit(check, id, party.options);
    },
  };
}
