import { idIn, isSuccess, paths, recordIn } from '../../service/index.js';
import { readNewUnit, removeUnit, unitCreation } from './unit-creation.js';
import { createContract } from '../../openapi/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  bundledPairs,
  isLeftOut,
  isRecord,
  type JsonSchema,
  type MinimalPair,
  readLeadSchema,
  visibleJson,
  withoutBroken,
} from '../../generators/index.js';
import { gradeRefusal } from '../leads/refusal.js';

/** Breaches that are tried of each operation. */
const mostTried = { gate: 16, certify: 60 };

/** Bodies that are JSON and no unit, and changes of nothing: whether they are answered with a 5xx is judged with all answers. */
const oddBodies: Readonly<Record<'POST' | 'PATCH', readonly string[]>> = {
  POST: ['null', '[]', '7', '"unit"', '{"id":'],
  PATCH: ['{}', 'null', '[]'],
};

/** Sends bodies that the document does not allow for creating a unit and for changing the one with this id: they are refused. */
export async function breakUnitBodies(check: Check, id: string): Promise<void> {
  const { contract } = await check.contract();
  for (const place of [
    { method: 'POST', path: paths.units },
    { method: 'PATCH', path: paths.unit(id) },
  ] as const) {
    if (contract.operation(place.method, place.path) === null) continue;
    await check.each(oddBodies[place.method].entries(), async ([at, body]) => {
      const key = check.fresh('odd body');
      const headers = [
        ['content-type', 'application/json'],
        // A key need not be a UUID to be answered.
        ['idempotency-key', at % 2 === 0 ? key : `no uuid ${key}`],
      ] as const;
      await check.send({ ...place, body: Buffer.from(body), headers });
    });
    await breakSchema(check, place, id);
  }
}

/** An operation that takes units. */
interface Place {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
}

/** Whether a body is taken that the document forbids. A service may take more than a pinned document says; with 202 a body is yet to be looked at. */
async function isTaken(check: Check, { method, path }: Place, exchange: Exchange, body: unknown): Promise<boolean> {
  const { served, pinned } = await check.contract();
  const isForbidden = pinned === null || createContract(served).validateRequest(method, path, body).length > 0;
  return isForbidden && gradeRefusal(exchange) === 'accepted' && exchange.response?.status !== 202;
}

/** A body that breaks the declared schema in one place is refused, where the service takes the same body without the breach. */
async function breakSchema(check: Check, place: Place, id: string): Promise<void> {
  const { method, path } = place;
  const { contract } = await check.contract();
  const creation = await unitCreation(check);
  const declared = contract.operation(method, path)?.requestSchema;
  if (creation === null || !isRecord(declared)) return;
  const { whole, problem, properties, allows } = readLeadSchema(declared, contract.document);
  if (problem !== null) return;
  const isCreate = method === 'POST';
  /** Sends a body; the answer, and the unit as that and the unit by itself show it. */
  const send = async (json: unknown, isShown = false): Promise<Exchange & { readonly records: readonly unknown[] }> => {
    const exchange = await (isCreate ? creation.attempt(check, { json }) : check.send({ ...place, json }));
    const unit = !isCreate ? id : isSuccess(exchange) ? idIn(exchange) : null;
    const answers = unit === null || !isShown ? [] : [exchange, await readNewUnit(check, unit)];
    if (isCreate && unit !== null) await removeUnit(check, unit);
    return { ...exchange, records: answers.flatMap((one) => recordIn(one, unit ?? '') ?? []) };
  };
  const make = (): unknown => (isCreate ? creation.body(check) : creation.patch(check));
  // A text of another unit may have to be unique.
  const known = Object.entries(recordIn(await check.send({ path: paths.unit(id) }), id) ?? {}).filter(
    ([name, value]) =>
      properties.has(name) && name !== 'id' && value !== null && (!isCreate || typeof value !== 'string'),
  );
  const wide = (): unknown => ({ ...Object.fromEntries(known), ...Object(make()) });
  let valid: (() => unknown) | null = null;
  for (const one of [wide, make]) {
    const body = one();
    if (valid === null && isRecord(body) && allows(body) && isSuccess(await send(body))) valid = one;
  }
  if (valid === null) return;
  const usual = valid;
  await check.each(pairsOf(whole, usual()).slice(0, mostTried[check.run.depth]), async ({ id: breach }) => {
    // Each body has identifying values of its own, so that no refusal comes from an earlier unit.
    const again = (): MinimalPair | undefined => bundledPairs(whole, usual(), breach)[0];
    const pair = again();
    if (pair === undefined) return;
    const first = await send(pair.invalid);
    if (!(await isTaken(check, place, first, pair.invalid))) return;
    const [plain, broken] = [await send(usual()), again()];
    if (!isSuccess(plain) || broken === undefined) return;
    const second = await send(broken.invalid, true);
    if (!(await isTaken(check, place, second, broken.invalid))) return;
    // Other bodies change the same unit meanwhile, all with valid values.
    const isSoft = withoutBroken(broken, broken.valid, allows) !== null && isLeftOut(broken, second.records);
    check[isSoft ? 'warn' : 'fail']({
      code: 'invalid-taken',
      field: pair.description,
      expected: `4xx for a ${method} of a unit that breaks the declared schema in one place: ${pair.description}`,
      actual: `${describe(first)} for ${visibleJson(pair.invalid)}${isSoft ? ', and the member left out' : ''}`,
      exchanges: [first, plain, second],
      part: 'status',
    });
  });
}

/** One breach of each keyword at each place, types last; null in the place of a field is often read as the field left out. */
function pairsOf(whole: JsonSchema, valid: unknown): readonly MinimalPair[] {
  const binding = bundledPairs(whole, valid).filter(
    ({ force, value, remove }) => force === 'assertion' && (remove === true || value !== null),
  );
  const late = ({ keyword }: MinimalPair): number => ['required', 'type'].indexOf(keyword);
  return [...new Map(binding.reverse().map((pair) => [`${pair.place} ${pair.remove ? pair.id : ''}`, pair])).values()]
    .reverse()
    .sort((a, b) => late(a) - late(b));
}
