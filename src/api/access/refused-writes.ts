import type { Exchange } from '../../http/exchange.js';
import { describe, type Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import { dataOf, isRefusal, isGone, isSuccess } from '../../service/envelope.js';
import { asObject, quote, sameJson } from '../../service/json.js';
import { addressForms } from '../../settings/address-forms.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { paths } from '../../service/paths.js';
import { settled } from '../../service/again.js';
import { createUnit, removeUnit } from '../units/unit-creation.js';
import { visiblePatch } from '../units/unit-patch.js';
import { walk } from '../../service/list.js';
import { recordIn } from '../units/known-units.js';

/** Somebody who has to be refused, and what to call them. */
export interface Refused {
  readonly label: string;
  readonly as: NonNullable<RequestOptions['as']> | null;
}

/** A create of a lead that was refused must also have had no effect: none of the leads that were sent is listed. */
export async function judgeRefusedLeads(check: Check, callers: readonly Refused[]): Promise<void> {
  const { contract } = await check.contract();
  if (check.target.readOnly || callers.length === 0 || contract.operation('GET', paths.leads) === null) return;
  const sent: { readonly name: string; readonly label: string; readonly refused: Exchange }[] = [];
  for (const { label, as } of callers) {
    const lead = await plainLead(check);
    const refused = await postLead(check, lead, { as });
    if (isRefusal(refused)) sent.push({ name: lead.name, label, refused });
  }
  if (sent.length === 0) return;
  const listed = await walk(check, { path: paths.leads, limit: 50, maxPages: 30 });
  const names = new Set(listed.items.map((item) => asObject(item)?.['name']));
  for (const { name, label, refused } of sent.filter((one) => names.has(one.name))) {
    check.fail({
      expected: `a refused create of ${label} to have no effect`,
      actual: `${describe(refused)}, and the lead named ${quote(name)} is listed`,
      exchanges: [refused, ...listed.pages.slice(-1).map((page) => page.exchange)],
    });
  }
}

/** The answer kept under a used idempotency key is for those alone who may make a lead: a replay is refused like any create. */
export async function judgeRefusedReplays(check: Check, callers: readonly Refused[]): Promise<void> {
  if (check.target.readOnly) return;
  const lead = await plainLead(check);
  const key = check.fresh('idempotency key');
  const made = await postLead(check, lead, { key });
  if (!isSuccess(made)) return;
  for (const { label, as } of callers) {
    const replay = await postLead(check, lead, { key, as });
    if (!isSuccess(replay)) continue;
    check.fail({
      expected: `the replay of a create to be refused for ${label}`,
      actual: describe(replay),
      exchanges: [made, replay],
    });
  }
}

/**
 * A refused change or deletion of a unit must have no effect. Uses a unit created for this test, and reads it after each caller's attempt.
 */
export async function judgeRefusedUnitWrites(check: Check, callers: readonly Refused[]): Promise<void> {
  const id = callers.length === 0 ? null : await createUnit(check);
  if (id === null) return;
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const declared = (method: string): boolean => contract.operation(method, path) !== null;
  let shown = recordIn(dataOf(await check.send({ path })), id);
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
    shown = recordIn(dataOf(after), id);
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
