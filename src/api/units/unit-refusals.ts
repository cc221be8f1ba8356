import { idIn, isSuccess, paths, recordIn } from '../../service/index.js';
import { removeUnit, unitCreation } from './unit-creation.js';
import { readNewUnit } from './new-unit.js';
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

/** A body that was sent, and the unit that it created or changed. */
interface Taken {
  readonly exchange: Exchange;
  /** The unit as the answer and the unit by itself show it. */
  records(): Promise<readonly unknown[]>;
  /** Removes the unit if the body created it. */
  remove(): Promise<void>;
}

/** Breaches that are tried of each operation. */
const mostTried = { gate: 16, certify: 60 };

/**
 * A body that breaks the declared schema of creating or changing a unit in one place is refused, where the service takes the same body without
 * the breach. The change is tried on the unit with this id.
 */
export async function judgeRefusedUnitBodies(check: Check, id: string): Promise<void> {
  const { contract, served, pinned } = await check.contract();
  const creation = await unitCreation(check);
  const record = recordIn(await check.send({ path: paths.unit(id) }), id) ?? {};
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
    const post = async (json: unknown): Promise<Taken> => {
      const exchange = await (method === 'POST'
        ? creation.attempt(check, { json })
        : check.send({ method, path, json }));
      const made = method === 'POST' && isSuccess(exchange) ? idIn(exchange) : null;
      return {
        exchange,
        async records() {
          const unit = method === 'PATCH' ? id : made;
          const answers = unit === null ? [] : [exchange, await readNewUnit(check, unit)];
          return answers.map((one) => recordIn(one, unit ?? '')).filter((one) => one !== null);
        },
        async remove() {
          if (made !== null) await removeUnit(check, made);
        },
      };
    };
    const tryBody = async (json: unknown): Promise<Exchange> => {
      const { exchange, remove } = await post(json);
      await remove();
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
      if (valid === null && isRecord(body) && allows(body) && isSuccess(await tryBody(body))) valid = one;
    }
    if (valid === null) continue;
    const pairs = pairsOf(whole, valid()).slice(0, mostTried[check.run.depth]);
    await check.each(pairs, async ({ id: place }) => {
      // Each body has identifying values of its own, so that no refusal comes from an earlier unit.
      const again = (): MinimalPair | undefined => bundledPairs(whole, valid(), place)[0];
      const isTaken = (exchange: Exchange, { invalid }: MinimalPair): boolean =>
        other?.validateRequest(method, path, invalid).length !== 0 &&
        // With 202 a body is yet to be looked at.
        gradeRefusal(exchange) === 'accepted' &&
        exchange.response?.status !== 202;
      const pair = again();
      if (pair === undefined) return;
      const first = await tryBody(pair.invalid);
      if (!isTaken(first, pair)) return;
      const plain = await tryBody(valid());
      const broken = again();
      if (!isSuccess(plain) || broken === undefined) return;
      const second = await post(broken.invalid);
      const shown = await second.records();
      await second.remove();
      if (!isTaken(second.exchange, broken)) return;
      // Other bodies change the same unit meanwhile, all with valid values.
      const isSoft = withoutBroken(broken, broken.valid, allows) !== null && isLeftOut(broken, shown);
      check[isSoft ? 'warn' : 'fail']({
        code: 'invalid-taken',
        field: pair.description,
        expected: `4xx for a ${method} of a unit that breaks the declared schema in one place: ${pair.description}`,
        actual: `${describe(first)} for ${visibleJson(pair.invalid)}${isSoft ? ', and the member left out' : ''}`,
        exchanges: [first, plain, second.exchange],
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
