import type { Exchange } from '../../http/exchange.js';
import { describe, type Check } from '../../run/check.js';
import { isRefusal } from '../../service/envelope.js';
import { asObject, quote } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { unitCreation } from './unit-creation.js';
import { unitsIfReadable, wholeList } from './known-units.js';

/** The creates of units that this check sent as somebody who may not, and that were refused. */
async function refusedCreates(check: Check): Promise<Exchange[]> {
  return (await check.run.exchanges()).filter(
    (one) =>
      one.asker === check.entry.id &&
      one.request.method === 'POST' &&
      one.request.url === `${check.target.baseUrl}${paths.units}` &&
      one.request.credential !== 'API_KEY' &&
      one.request.credential !== 'OTHER_API_KEY' &&
      isRefusal(one),
  );
}

function bodyOf(exchange: Exchange): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(exchange.request.body?.toString('utf8') ?? 'null'));
  } catch {
    return null;
  }
}

/**
 * A create of a unit that was refused must also have had no effect: no unit is listed with a value that was sent then, that is another in
 * each body, and that no unit had before.
 */
export async function judgeRefusedUnits(check: Check): Promise<void> {
  const creation = await unitCreation(check);
  const refused = creation === null ? [] : await refusedCreates(check);
  const other = asObject(creation?.body(check));
  if (refused.length === 0 || other === null) return;
  const known = new Set((await unitsIfReadable(check)).flatMap((unit) => Object.values(asObject(unit) ?? {})));
  const marks = refused.flatMap((exchange) =>
    Object.entries(bodyOf(exchange) ?? {})
      .filter(([field, value]) => typeof value === 'string' && value.length >= 6 && value !== other[field])
      .filter(([, value]) => !known.has(value))
      .map(([field, value]) => ({ field, value, exchange })),
  );
  if (marks.length === 0) return;
  const listed = await wholeList(check);
  for (const { field, value, exchange } of marks) {
    const page = listed.pages.find(({ items }) => items?.some((item) => asObject(item)?.[field] === value));
    if (page === undefined) continue;
    check.fail({
      expected: 'a refused create of a unit to have no effect',
      actual: `${describe(exchange)}, and a unit whose ${field} is ${quote(value)}, as sent, is listed`,
      exchanges: [exchange, page.exchange],
    });
    return;
  }
}
