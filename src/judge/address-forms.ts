import {
  allDeals,
  createUnit,
  dealIds,
  failIfMissing,
  leadPath,
  leadWithSource,
  onlyAvailable,
  plainLead,
  postLead,
  readNewUnit,
  removeUnit,
  someUnitIds,
  visiblePatch,
} from '../api/index.js';
import type { Exchange } from '../http/index.js';
import { row, type Row } from '../requirement/index.js';
import { type Check, describe } from '../run/index.js';
import {
  areAddresses,
  asObject,
  idIn,
  isSuccess,
  listing,
  mayMean,
  paths,
  readPage,
  recordIn,
  sameJson,
  sentIn,
  settled,
  walk,
  type Walk,
  type WalkOptions,
} from '../service/index.js';
import type { AddressForm } from '../settings/index.js';
import { agreeAnswers, relate, relation, type RelationOptions, type View } from './relations.js';

/** What both forms offer. */
interface SharedView extends Omit<View, 'where' | 'list'> {
  readonly list?: WalkOptions;
}

const at = (form: AddressForm, { list, single, ...view }: SharedView): View => ({
  ...view,
  where: form === 'first' ? 'at BASE_URL' : 'at API_BASE_URL',
  ...(list && { list: { ...list, form } }),
  ...(single && { single: (id) => ({ ...single(id), form }) }),
});

const bothForms = (view: SharedView) => [at('first', view), 'equals', at('second', view)] as const;

/** A record may name itself by the address that it was read under. */
const sameRecords: RelationOptions = { grade: (_, one) => (areAddresses(one) ? 'open' : 'fail') };
/** Of single records not: one of two machines may be behind with one. */
const sameAnswers: RelationOptions = { ...sameRecords, comparesAnswers: true };

const filtered = {
  record: 'unit listed with status=available',
  list: { limit: 50, query: onlyAvailable, maxPages: 1 },
};
const unit = { record: 'unit by itself', single: (id: string) => ({ path: paths.unit(id) }) };

/** What does not depend on each other, and is judged side by side. */
const apart: readonly Row[] = [
  relation(...bothForms({ record: 'deal', list: { path: paths.deals, maxPages: 12 } }), sameAnswers),
  relation(...bothForms({ ...unit, ids: (check) => someUnitIds(check, 1) }), sameRecords),
  relation(
    ...bothForms({
      record: 'deal by itself',
      single: (id) => ({ path: paths.deal(id) }),
      ids: (check) => dealIds(check, 1),
    }),
    sameRecords,
  ),
  row('a refusal has the same envelope at both, of a unit that is not there and without a key', async (check) => {
    for (const options of [{ path: paths.unit(check.fresh('unit')) }, { path: paths.units, as: null }]) {
      const both = [await check.send(options), await check.send({ ...options, form: 'second' })] as const;
      agreeAnswers(check, both, ['at BASE_URL', 'at API_BASE_URL']);
    }
  }),
  row('each lead created at one of both is at the other, too, and what one refuses is refused', relateLeads),
];

/** The rows of what both address forms show. */
export const bothFormsShow = [
  row('both show the same deals, unit, refusals and leads, and a lead that one refuses is refused', (check) =>
    check.each(apart, ({ judge }) => Promise.resolve(judge(check, null))),
  ),
  // Last, when the other checks have done most of their writing.
  row(
    'each unit at BASE_URL, one among them that was just created and changed, is the same at API_BASE_URL',
    relateUnits,
  ),
  relation(at('second', filtered), 'within', at('first', filtered)),
];

/**
 * Both forms list the same units, one among them that was just created and changed. While others create units, nobody knows which one a list lacks
 * that lacks the newest: then another one is created, once two readings in a row are alike.
 */
async function relateUnits(check: Check): Promise<void> {
  // In as few pages as the service gives.
  const isWide = (await readPage(check, { limit: 100 })).items !== null;
  const units = { record: 'unit', list: isWide ? { limit: 100, maxPages: 6 } : { limit: 50, maxPages: 12 } };
  const read = (): Promise<Walk> => walk(check, units.list);
  const idsOf = ({ items }: Walk): string => items.map((one) => String(asObject(one)?.['id'])).join();
  let last: string | null = null;
  const isQuiet = (reading: Walk): boolean => {
    const isSame = idsOf(reading) === last;
    last = idsOf(reading);
    return isSame;
  };
  for (let round = 1; ; round += 1) {
    if (!check.target.readOnly) await settled(check, read, isQuiet);
    const id = check.target.readOnly ? null : await createChangedUnit(check);
    const { a, holds } = await relate(check, ...bothForms(units), sameAnswers);
    const isSteady = id === null || !holds || round === 4 || idsOf(await read()) === idsOf(a);
    if (id !== null) await removeUnit(check, id);
    if (!isSteady) continue;
    if (a.items.length > 0 || (await listing(check, allDeals)).items.length > 0) return;
    return check.blocked('the tenant has no unit and no deal to be looked for at API_BASE_URL: seed at least one');
  }
}

/** The id of a unit that was created and, where the document declares a way, changed. */
async function createChangedUnit(check: Check): Promise<string | null> {
  const id = await createUnit(check);
  if (id === null) return null;
  const record = recordIn(await readNewUnit(check, id), id);
  const patch = record && (await visiblePatch(check, id, record));
  if (patch) await check.send({ method: 'PATCH', path: paths.unit(id), json: patch.body });
  return id;
}

/** A lead is accepted under the second form where one is under the first, refused where one is, and shown under both. */
async function relateLeads(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const created = check.target.readOnly ? [] : await createLeads(check);
  const leads = { record: 'lead', list: { path: paths.leads, limit: 50, maxPages: 12 } };
  if (contract.operation('GET', paths.leads) !== null) await relate(check, ...bothForms(leads), sameAnswers);
  const shown: (Readonly<Record<string, unknown>> | null)[] = [];
  for (const id of created.flatMap((exchange) => idIn(exchange) ?? [])) {
    const path = leadPath(id);
    if (contract.operation('GET', path) === null) continue;
    const read = async () => recordIn(await check.ask({ path }), id);
    shown.push(await settled(check, read, (record) => record !== null));
    const view = { record: 'lead by itself', single: () => ({ path }), ids: () => [id] };
    await relate(check, ...bothForms(view), sameRecords);
  }
  const [here, there] = shown;
  const [sent, sentThere] = created.map(sentIn);
  // A lead that neither form shows was not stored, if the one before it is shown.
  if (here && there === null) await failIfMissing(check, 'a lead created at API_BASE_URL', created.slice(1));
  const lost = Object.keys(sent ?? {}).find(
    (name) =>
      there &&
      sentThere?.[name] !== undefined &&
      sameJson(here?.[name], sent?.[name]) &&
      (there[name] ?? null) === null,
  );
  if (lost !== undefined)
    check.fail({
      code: 'field-lost',
      field: lost,
      expected: `a lead created at API_BASE_URL to show its ${lost}, as one created at BASE_URL does`,
      actual: 'it shows none',
      exchanges: created,
    });
}

/** A lead created under each form; none unless both were accepted. What the first refuses twice, the second does not take. */
async function createLeads(check: Check): Promise<readonly Exchange[]> {
  const create = async (
    draw: (check: Check) => Promise<object> = plainLead,
    change: object = {},
  ): Promise<readonly [Exchange, Exchange]> => [
    await postLead(check, { ...(await draw(check)), ...change }),
    await postLead(check, { ...(await draw(check)), ...change }, { form: 'second' }),
  ];
  let pair = await create(leadWithSource);
  // The vehicle of one lead may have been sold meanwhile.
  for (let tries = 0; tries < 3 && !pair.every(isSuccess) && (tries === 0 || isSuccess(pair[0])); tries += 1)
    pair = await create();
  agreeAnswers(check, pair, ['at BASE_URL', 'at API_BASE_URL']);
  for (const change of [{ phone: '4155550123' }, { name: undefined }]) {
    const refused: Exchange[] = [];
    for (let round = 0; round < 2; round += 1) {
      const [here, there] = await create(plainLead, change);
      if (!mayMean(here, 400, 422) || !isSuccess(there)) break;
      refused.push(here, there);
    }
    if (refused.length === 4)
      check.fail({
        code: 'not-refused',
        expected: 'a lead that is refused at BASE_URL to be refused at API_BASE_URL',
        actual: refused.slice(-2).map(describe).join(', then '),
        exchanges: refused,
      });
  }
  return pair.every(isSuccess) ? pair : [];
}
