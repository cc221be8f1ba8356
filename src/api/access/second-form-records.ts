import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJson, type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import type { AddressForm } from '../../settings/index.js';
import {
  asObject,
  idIn,
  idOf,
  isSuccess,
  type Page,
  paths,
  patienceSeconds,
  persistent,
  quote,
  readPage,
  recordId,
  recordIn,
  sameJson,
  settled,
  walk,
  type Walk,
} from '../../service/index.js';
import { readNewUnit } from '../units/new-unit.js';
import { idsWithStatus } from '../units/status-filter.js';
import { createUnit, removeUnit } from '../units/unit-creation.js';
import { visiblePatch } from '../units/unit-patch.js';

const idsIn = ({ items }: Walk): string[] => items.map(idOf).filter((id) => id !== null);

/**
 * Deals that the first address form shows before and after must also be shown by the second: at least some of them, and all where both lists are
 * whole.
 */
export async function judgeSecondFormDeals(check: Check): Promise<void> {
  let none = false;
  let exchanges: readonly Exchange[] = [];
  const look = async (): Promise<readonly string[]> => {
    const deals = (form: AddressForm): Promise<Walk> => walk(check, { path: paths.deals, form, maxPages: 12 });
    const all = [await deals('first'), await deals('second'), await deals('first')] as const;
    exchanges = all.flatMap(({ pages }) => pages.map((page) => page.exchange));
    const [before, other, after] = all.map(idsIn);
    none = other?.length === 0;
    // Other pages may hold what these do not: in which order deals are listed is not shown.
    if (!exchanges.every(isSuccess) || (!none && !all.every((one) => one.complete))) return [];
    return (before ?? []).filter((id) => after?.includes(id) === true && other?.includes(id) !== true);
  };
  const [lost] = await persistent(check, look);
  if (lost !== undefined)
    check.fail({
      expected: 'the same deals at BASE_URL and API_BASE_URL',
      actual: `${none ? 'no deal at all' : `${quote(lost)} is missing`} under the second`,
      exchanges,
    });
}

/** A filter that the first form keeps to is kept to by the second, whatever was changed meanwhile. */
export async function judgeSecondFormFilter(check: Check): Promise<void> {
  const options = { limit: 50, query: [['status', 'available'] as const] };
  const strays = ({ items }: Page): string[] => idsWithStatus(items ?? [], 'available', true);
  let exchanges: Exchange[] = [];
  const look = async (): Promise<readonly string[]> => {
    const other = await readPage(check, { ...options, form: 'second' });
    const found = strays(other);
    if (found.length === 0) return [];
    const here = await readPage(check, options);
    exchanges = [other.exchange, here.exchange];
    return here.items === null || strays(here).length > 0 ? [] : found;
  };
  const [stray] = await persistent(check, look);
  if (stray !== undefined)
    check.fail({
      expected: 'status=available to list available units only at API_BASE_URL, as under the first',
      actual: `it lists ${quote(stray)}, which is not`,
      exchanges,
    });
}

/** A field that a lead made under the first form shows as it was sent, and one made under the second lacks. */
function lostField(sent: readonly Exchange[], shown: readonly (Record<string, unknown> | null)[]): string | undefined {
  const [here, there] = sent.map(({ request }) => asObject(decodeJson(request.body?.toString() ?? null)));
  return Object.keys(here ?? {}).find(
    (name) =>
      there?.[name] !== undefined && sameJson(shown[0]?.[name], here?.[name]) && (shown[1]?.[name] ?? null) === null,
  );
}

/**
 * A lead made under one form is read under both, where the document declares that a single one can be read. `made`: one lead made under
 * each form. Returns whether that holds.
 */
export async function judgeSecondFormLeads(check: Check, made: readonly Exchange[]): Promise<boolean> {
  const { contract } = await check.contract();
  let isReadable = false;
  const shown: (Record<string, unknown> | null)[] = [];
  for (const exchange of made) {
    const id = isSuccess(exchange) ? idIn(exchange) : null;
    if (id === null || contract.operation('GET', `${paths.leads}/${id}`) === null) continue;
    const first = { path: `${paths.leads}/${percentEncode(id)}` };
    const shows = (one: Exchange): boolean => recordIn(one, id) !== null;
    const both = await settled(
      check,
      async () => [await check.ask(first), await check.ask({ ...first, form: 'second' })],
      (answers) => answers.every(shows),
    );
    const missing = both.find((one) => !shows(one));
    if (both[0] !== undefined) shown.push(recordIn(both[0], id));
    // A lead that neither form shows was not stored, if the one before it is shown.
    if (missing === undefined || (!both.some(shows) && !isReadable)) {
      isReadable ||= missing === undefined;
      continue;
    }
    return check.fail({
      expected: `the lead ${quote(id)} at BASE_URL and API_BASE_URL`,
      actual: both.some(shows) ? describe(missing) : `neither shows it: ${both.map(describe).join(', ')}`,
      exchanges: [exchange, ...both],
    });
  }
  const lost = shown.length === 2 && !shown.includes(null) ? lostField(made, shown) : undefined;
  if (lost === undefined) return true;
  return check.fail({
    expected: `a lead made at API_BASE_URL to show its ${lost}, as one made at BASE_URL does`,
    actual: 'it shows none',
    exchanges: [...made],
  });
}

/** Of leads made under each form, one that the list of either form shows is in the list of the other, where both can be read to their end. */
export async function judgeSecondFormLeadList(check: Check, made: readonly Exchange[]): Promise<void> {
  const { contract } = await check.contract();
  if (contract.operation('GET', paths.leads) === null) return;
  const ids = made.flatMap((exchange) => (isSuccess(exchange) ? (idIn(exchange) ?? []) : []));
  const options = { limit: 50, maxPages: 12 };
  const look = async () => {
    const here = await walk(check, { ...options, path: paths.leads });
    const there = await walk(check, { ...options, path: paths.leads, form: 'second' });
    const has = (one: Walk, id: string): boolean => one.items.some((item) => recordId(item) === id);
    const canTell = here.complete && there.complete;
    return { here, there, lost: canTell ? ids.filter((id) => has(here, id) !== has(there, id)) : [] };
  };
  const { here, there, lost } = await settled(check, look, (one) => one.lost.length === 0);
  if (lost.length > 0)
    check.fail({
      expected: `the lead ${quote(lost[0])} in the lists of leads at BASE_URL and API_BASE_URL`,
      actual: 'one of them lacks it',
      exchanges: [...made, ...[here, there].flatMap(({ pages }) => pages.map((page) => page.exchange))],
    });
}

/** A unit made and changed before. */
interface ChangedUnit {
  readonly id: string;
  readonly field: string | null;
  readonly from: unknown;
  readonly to: unknown;
}

async function makeChangedUnit(check: Check): Promise<ChangedUnit | null> {
  const id = check.target.readOnly ? null : await createUnit(check);
  if (id === null) return null;
  const record = recordIn(await readNewUnit(check, id), id);
  const patch = record === null ? null : await visiblePatch(check, id, record);
  const changed =
    patch !== null && isSuccess(await check.send({ method: 'PATCH', path: paths.unit(id), json: patch.body }));
  return changed
    ? { id, field: patch.field, from: record?.[patch.field], to: patch.value }
    : { id, field: null, from: null, to: null };
}

/** Both forms list the same units, a new and changed one among them, where both lists can be read to their end. */
export async function judgeSecondFormUnits(check: Check): Promise<void> {
  const made = await makeChangedUnit(check);
  const lists = (options: object): Promise<Walk> => walk(check, { ...options, limit: 50, maxPages: 12 });
  // The second list is read between two of the first: it is stale only where both of those show the change.
  let wasNew = false;
  let missing: readonly string[] | null = null;
  let lacksNewest = false;
  const look = async () => {
    const there = await lists({ form: 'second' });
    const here = await lists({});
    const canTell = there.complete && here.complete;
    const listed = new Set(there.items.map(idOf));
    const lost = here.items.map(idOf).filter((id) => id !== null && !listed.has(id)) as string[];
    lacksNewest ||= canTell && made !== null && lost.includes(made.id);
    // Others may create and delete meanwhile: only what is missing every time counts.
    missing = canTell ? lost.filter((id) => missing?.includes(id) ?? true) : [];
    const shownIn = (one: Walk) => asObject(one.items.find((item) => idOf(item) === made?.id));
    const [first, second] = made?.field == null ? [] : [shownIn(here)?.[made.field], shownIn(there)?.[made.field]];
    const isNew = made?.field != null && sameJson(first, made.to);
    const isOld = canTell && isNew && sameJson(second, made.from);
    const isStale = isOld && wasNew;
    wasNew = isNew;
    return { there, here, missing, isStale, lacks: isOld || missing.length > 0 };
  };
  const last = await settled(check, look, (one) => !one.lacks);
  const exchanges = [...last.here.pages, ...last.there.pages].map((page) => page.exchange);
  const [lost] = last.missing;
  if (lost !== undefined)
    check.fail({
      expected: `the unit ${quote(lost)}, which the list shows, in the list at API_BASE_URL`,
      actual: `it is missing among ${last.there.items.length} units`,
      exchanges,
    });
  else if (last.isStale)
    check.fail({
      expected: `${made?.field ?? ''} of unit ${quote(made?.id)} to be ${quote(made?.to)} in the list at API_BASE_URL too`,
      actual: `it is still ${quote(made?.from)}`,
      exchanges,
    });
  else if (lacksNewest)
    await judgeNewestUnit(
      check,
      () => lists({ form: 'second' }),
      () => lists({}),
    );
  if (made !== null) await removeUnit(check, made.id);
}

/**
 * A new unit that the second list shows late may have come late, or may have been among the newest, which that list lacks, until others were
 * created. So one more is created while nobody else changes the list, and has to show there while it stays so.
 */
async function judgeNewestUnit(check: Check, there: () => Promise<Walk>, here: () => Promise<Walk>): Promise<void> {
  const shownBy = ({ items }: Walk): string => items.map(idOf).join();
  const isQuiet = async (): Promise<boolean> => {
    const before = shownBy(await here());
    await sleep(500 * check.run.patience);
    return before === shownBy(await here());
  };
  for (let round = 0; round < 4; round += 1) {
    await settled(check, isQuiet, Boolean);
    const id = await createUnit(check);
    if (id === null) return;
    const first = await settled(check, here, (list) => list.items.some((item) => idOf(item) === id));
    const look = async () => ({ second: await there(), isSteady: shownBy(await here()) === shownBy(first) });
    const { second, isSteady } = await settled(
      check,
      look,
      (one) => !one.isSteady || one.second.items.some((item) => idOf(item) === id),
    );
    const isListed = second.items.some((item) => idOf(item) === id);
    if (isSteady && !isListed && second.complete && shownBy(first).includes(id))
      check.fail({
        expected: `the unit ${quote(id)}, the newest of a list that nobody changed, in the list at API_BASE_URL within ${patienceSeconds} s`,
        actual: `it is missing among ${second.items.length} units`,
        exchanges: [...first.pages, ...second.pages].map((page) => page.exchange),
      });
    await removeUnit(check, id);
    if (isSteady) return;
  }
}
