import type { Check } from '../../run/index.js';
import { byIds, idOf, quote, sameJson, walk } from '../../service/index.js';
import { blockRefusedKey } from './other-admin.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { judgeSharedCache } from '../shared-cache.js';
import { knownUnits } from '../units/known-units.js';
import { readAcross } from './foreign-reads.js';
import { type TenantView } from './tenant-view.js';

/** Tries, in both directions, to read one tenant's data with the other's key, and to write it by `judgeWrites`, which tells whether a record could be made. */
export async function judgeIsolation(
  check: Check,
  judgeWrites: (check: Check, mine: TenantView, other: TenantView) => Promise<boolean>,
): Promise<void> {
  const { target } = check;
  await knownUnits(check);
  // Read anew: by now, other checks may have made units whose ids somebody chose.
  const ours = await walk(check, { limit: 50, maxPages: 12 });
  const mineList = ours.items.map(idOf).filter((id) => id !== null);
  const theirs = await walk(check, { as: 'OTHER_API_KEY', tenant: target.otherTenant, limit: 50, maxPages: 12 });
  const [first] = theirs.pages;
  if (first?.items === null) {
    blockRefusedKey(check, first.exchange);
    check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${theirs.stopped ?? ''}`);
  }
  const theirList = theirs.items.map(idOf).filter((id) => id !== null);
  // One unit under both keys: only where it is an exception among ids that nobody would give twice; tenants seeded alike share all.
  const byId = new Map(theirs.items.map((item) => [idOf(item), item]));
  const shared = ours.items.filter(
    (item) => (idOf(item)?.length ?? 0) >= 8 && byId.has(idOf(item)) && sameJson(item, byId.get(idOf(item))),
  );
  if (shared.length > 0 && shared.length * 2 < Math.min(mineList.length, theirList.length)) {
    check.fail({
      code: 'shared-unit',
      expected: 'no unit in the lists of two tenants',
      actual: `the unit ${quote(idOf(shared[0]))} is in both, equal in every field`,
      exchanges: [...ours.pages.slice(-1), ...theirs.pages.slice(-1)].map((page) => page.exchange),
    });
  }
  const mine: TenantView = { key: 'API_KEY', tenant: target.tenant, units: byIds(ours.items), complete: ours.complete };
  const other: TenantView = {
    key: 'OTHER_API_KEY',
    tenant: target.otherTenant,
    units: byIds(theirs.items),
    complete: theirs.complete,
  };
  const readers = (['API_KEY_READ_INVENTORY', 'API_KEY_READ_LEADS', 'API_KEY_READ_DEALS'] as const)
    .filter((key) => target.keys[key] !== undefined)
    .map((key): [TenantView, TenantView] => [{ ...mine, key }, other]);
  if (!target.readOnly)
    for (const { key, tenant } of [mine, other])
      await postLead(check, await plainLead(check, { as: key, tenant }), { as: key, tenant });
  await check.each([[mine, other], [other, mine], ...readers] as const, ([side, foreign]) =>
    readAcross(check, side, foreign),
  );
  await judgeSharedCache(check);
  const apart =
    [...mine.units].some(([id, unit]) => !sameJson(unit, other.units.get(id))) ||
    [...other.units.keys()].some((id) => !mine.units.has(id));
  const isWritten = await judgeWrites(check, mine, other);
  if (!apart && !isWritten)
    check.blocked(
      'the tenants cannot be distinguished: both show the same units, and no record could be created in one to search for in the other',
    );
}
