import { dataOf, isSuccess } from '../api/envelope.js';
import { paths } from '../api/paths.js';
import { createdUnitId, removeUnit, unitCreation } from '../api/units/unit-creation.js';
import { recordIn } from '../api/units/known-units.js';
import { createContract } from '../openapi/contract.js';
import type { Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { readLeadSchema } from './leads/lead-schema.js';
import { bundledPairs, type MinimalPair } from './schema/minimal-pairs.js';
import { gradeRefusal } from './refusal.js';
import { isRecord, type JsonSchema } from './schema/schema.js';
import { visibleJson } from './visible-json.js';

/** Breaches that are tried of each operation. */
const mostTried = { gate: 16, certify: 60 };

/**
 * A body that breaks the declared schema of creating or changing a unit in one place is refused, where the service takes the same body without
 * the breach. The change is tried on the unit with this id.
 */
export async function judgeRefusedUnitBodies(check: Check, id: string): Promise<void> {
  const { contract, served, pinned } = await check.contract();
  const creation = await unitCreation(check);
  const record = recordIn(dataOf(await check.send({ path: paths.unit(id) })), id) ?? {};
  // A service may take more than a pinned document says.
  const other = pinned === null ? null : createContract(served);
  for (const [method, path, make] of [
    ['POST', paths.units, creation?.body],
    ['PATCH', paths.unit(id), creation?.patch],
  ] as const) {
    const declared = contract.operation(method, path)?.requestSchema;
    if (creation === null || make === undefined || !isRecord(declared)) continue;
    const { whole, problem, properties, allows } = readLeadSchema(declared, contract.document);
    if (problem !== null) continue;
    const post = async (json: unknown): Promise<Exchange> => {
      const exchange = await (method === 'POST'
        ? creation.attempt(check, { json })
        : check.send({ method, path, json }));
      const made = method === 'POST' && isSuccess(exchange) ? createdUnitId(exchange) : null;
      if (made !== null) await removeUnit(check, made);
      return exchange;
    };
    // A text of another unit may have to be unique.
    const known = Object.entries(record).filter(
      ([name, value]) =>
        properties.has(name) && name !== 'id' && value !== null && (method === 'PATCH' || typeof value !== 'string'),
    );
    const wide = (): unknown => ({ ...Object.fromEntries(known), ...Object(make(check)) });
    let valid: (() => unknown) | null = null;
    for (const one of [wide, () => make(check)]) {
      const body = one();
      if (valid === null && isRecord(body) && allows(body) && isSuccess(await post(body))) valid = one;
    }
    if (valid === null) continue;
    const pairs = pairsOf(whole, valid()).slice(0, mostTried[check.run.depth]);
    await check.each(pairs, async ({ id: place }) => {
      // Each body has identifying values of its own, so that no refusal comes from an earlier unit.
      const again = (): MinimalPair | undefined => bundledPairs(whole, valid(), place)[0];
      const isTaken = async (pair: MinimalPair | undefined): Promise<Exchange | null> => {
        if (pair === undefined || other?.validateRequest(method, path, pair.invalid).length === 0) return null;
        const exchange = await post(pair.invalid);
        // With 202 a body is yet to be looked at.
        return gradeRefusal(exchange) === 'accepted' && exchange.response?.status !== 202 ? exchange : null;
      };
      const pair = again();
      const first = await isTaken(pair);
      if (pair === undefined || first === null) return;
      const plain = await post(valid());
      const second = isSuccess(plain) ? await isTaken(again()) : null;
      if (second === null) return;
      check.fail({
        expected: `4xx for a ${method} of a unit that breaks the declared schema in one place: ${pair.description}`,
        actual: `${describe(first)} for ${visibleJson(pair.invalid)}`,
        exchanges: [first, plain, second],
      });
    });
  }
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
