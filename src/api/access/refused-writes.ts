import { decodeJson, type Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { addressForms, urlIn } from '../../settings/index.js';
import {
  asObject,
  isGone,
  isRefusal,
  isSuccess,
  paths,
  quote,
  recordIn,
  sameJson,
  settled,
  walk,
} from '../../service/index.js';
import { unitsIfReadable, wholeList } from '../units/known-units.js';
import { createUnit, removeUnit, unitCreation } from '../units/unit-creation.js';
import type { Caller } from './shapes.js';
import { visiblePatch } from '../units/unit-patch.js';

/** A body that was sent, by its texts. */
const textsOf = (body: unknown): [string, string][] =>
  Object.entries(asObject(body) ?? {}).filter(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1].length >= 6,
  );
const sentTexts = ({ request }: Exchange): [string, string][] => textsOf(decodeJson(request.body?.toString() ?? null));

/**
 * Creates that this check sent as somebody who may not, and that were refused, must have had no effect: no record is listed with a text that
 * only one of them had, and none of those before it. Of a lead, that is the name.
 */
export async function judgeRefusedCreates(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const sent = (await check.run.exchanges()).filter(
    ({ asker, request }) => asker === check.entry.id && request.method === 'POST',
  );
  const known = new Set((await unitsIfReadable(check)).flatMap((unit) => Object.values(asObject(unit) ?? {})));
  const counts = new Map<string, number>();
  const drawn = textsOf((await unitCreation(check))?.body(check));
  for (const [, text] of [...drawn, ...sent.flatMap(sentTexts)]) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const { kind, path, list } of [
    { kind: 'unit', path: paths.units, list: () => wholeList(check) },
    { kind: 'lead', path: paths.leads, list: () => walk(check, { path: paths.leads, limit: 50, maxPages: 30 }) },
  ]) {
    const places = addressForms(check.target).map((form) => urlIn(form, path, check.target));
    const marks = sent
      .filter((one) => places.includes(one.request.url) && isRefusal(one))
      .filter(({ request }) => request.credential !== 'API_KEY' && request.credential !== 'OTHER_API_KEY')
      .flatMap((exchange) => sentTexts(exchange).map(([field, text]) => ({ field, text, exchange })))
      .filter(({ field, text }) => counts.get(text) === 1 && !known.has(text) && (kind === 'unit' || field === 'name'));
    if (marks.length === 0 || (kind === 'lead' && contract.operation('GET', path) === null)) continue;
    const { pages } = await list();
    for (const { field, text, exchange } of marks) {
      const page = pages.find(({ items }) => items?.some((item) => asObject(item)?.[field] === text));
      if (page === undefined) continue;
      check.fail({
        expected: `a refused create of a ${kind} to have no effect`,
        actual: `${describe(exchange)}, and a ${kind} whose ${field} is ${quote(text)}, as sent, is listed`,
        exchanges: [exchange, page.exchange],
      });
      break;
    }
  }
}

/**
 * A refused change or deletion of a unit must have no effect. Uses a unit created for this test, and reads it after each caller's attempt.
 */
export async function judgeRefusedUnitWrites(check: Check, callers: readonly Caller[]): Promise<void> {
  const id = callers.length === 0 ? null : await createUnit(check);
  if (id === null) return;
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const declared = (method: string): boolean => contract.operation(method, path) !== null;
  let shown = recordIn(await check.send({ path }), id);
  const tries = callers.flatMap((caller) => addressForms(check.target).map((form) => ({ ...caller, form })));
  for (const { label, as, form } of tries) {
    if (shown === null) break;
    const change = declared('PATCH') ? await visiblePatch(check, id, shown) : null;
    const patched = change === null ? null : await check.send({ as, method: 'PATCH', path, form, json: change.body });
    const deleted = declared('DELETE') ? await check.send({ as, method: 'DELETE', path, form }) : null;
    const after = await settled(
      check,
      () => check.send({ path }),
      (one) => !isGone(one),
    );
    shown = recordIn(after, id);
    for (const done of form === 'second' ? [patched, deleted] : [])
      if (done !== null && isSuccess(done))
        check.fail({
          expected: `a ${done.request.method} of ${label} to be refused at API_BASE_URL`,
          actual: describe(done),
          exchanges: [done],
        });
    if (deleted !== null && isRefusal(deleted) && shown === null && isGone(after))
      check.fail({
        expected: `a refused DELETE of ${label} to have no effect`,
        actual: `${describe(deleted)}, and the unit is gone`,
        exchanges: [deleted, after],
      });
    if (patched !== null && isRefusal(patched) && change !== null && sameJson(shown?.[change.field], change.value))
      check.fail({
        expected: `a refused PATCH of ${label} to have no effect`,
        actual: `${describe(patched)}, and its ${change.field} is now ${quote(change.value)}`,
        exchanges: [patched, after],
      });
  }
  await removeUnit(check, id);
}
