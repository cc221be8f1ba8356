import { dataOf } from '../service/envelope.js';
import { asArray, asObject } from '../service/json.js';
import { isOfAnotherRun, listsSomeLeads, recordId } from '../api/leads/leads.js';
import { paths } from '../service/paths.js';
import { cursorQuery, namesMore, nextCursor } from '../service/list.js';
import type { Exchange } from '../http/exchange.js';
import type { Pairs } from '../openapi/parameter-style.js';
import type { Check } from '../run/check.js';
import type { LeadBody } from './lead-body.js';
import { searchable, showsBody } from './lead-answer.js';
import { home, type Party } from './request-log.js';

/** Leads as a declared list shows them. */
export interface LeadList {
  readonly records: readonly Record<string, unknown>[];
  /** Whether the last page was read. */
  readonly complete: boolean;
  readonly exchanges: readonly Exchange[];
}

function recordsIn(data: Record<string, unknown> | null): Record<string, unknown>[] | null {
  if (data === null) return null;
  const lists = [data['items'], data['leads'], ...Object.values(data)].map(asArray);
  const found = lists.find((list) => list !== null);
  return found ? found.map(asObject).filter((one) => one !== null) : null;
}

/** The largest page worth asking for: what the declaration allows, up to 100; null where it declares no limit. */
async function pageSize(check: Check): Promise<number | null> {
  const { contract } = await check.contract();
  const declared = contract
    .operation('GET', paths.leads)
    ?.parameters.find((one) => one.in === 'query' && one.name === 'limit');
  if (declared === undefined) return null;
  const maximum = asObject(asObject(declared)?.['schema'])?.['maximum'];
  return typeof maximum === 'number' ? Math.max(1, Math.min(100, Math.floor(maximum))) : 50;
}

/** Whether the document declares a list of leads. */
export async function listDeclared(check: Check): Promise<boolean> {
  const { contract } = await check.contract();
  return contract.operation('GET', paths.leads) !== null;
}

/**
 * Walks the declared list of leads, at most `maxPages` pages; null where there is none or it cannot be read. Leads of other runs are left out:
 * they may have a phone in common with one of this run.
 */
export async function readLeads(check: Check, maxPages: number, party: Party = home): Promise<LeadList | null> {
  const list = await walkLeads(check, maxPages, party);
  const isForeign = await Promise.all(list?.records.map((record) => isOfAnotherRun(check, record)) ?? []);
  return list === null ? null : { ...list, records: list.records.filter((_, at) => isForeign[at] !== true) };
}

async function walkLeads(check: Check, maxPages: number, party: Party): Promise<LeadList | null> {
  if (!(await listDeclared(check))) return null;
  const limit = await pageSize(check);
  const records: Record<string, unknown>[] = [];
  const exchanges: Exchange[] = [];
  const seen = new Set<string>();
  let cursor: Pairs = [];
  while (exchanges.length < maxPages) {
    const exchange = await check.send({
      ...party.options,
      path: paths.leads,
      query: [...(limit === null ? [] : [['limit', String(limit)] as const]), ...cursor],
    });
    const data = dataOf(exchange);
    const page = recordsIn(data);
    if (page === null) return exchanges.length === 0 ? null : { records, complete: false, exchanges };
    exchanges.push(exchange);
    records.push(...page);
    const next = nextCursor(data);
    if (next === null) return { records, complete: !namesMore(data) && !(await listsSomeLeads(check)), exchanges };
    const key = JSON.stringify(next);
    const query = seen.has(key) ? null : await cursorQuery(check, next, paths.leads);
    if (query === null) break;
    seen.add(key);
    cursor = query;
  }
  return { records, complete: false, exchanges };
}

/** Whether a record is another person's lead with the phone of this body: its name begins with another letter, however it is shown. */
function isOfSomebodyElse(record: Record<string, unknown>, { fields }: LeadBody): boolean {
  const [shown, sent] = [record['name'], fields['name']].map((name) =>
    typeof name === 'string' ? name.normalize('NFC').trim().slice(0, 1).toLowerCase() : '',
  );
  return shown !== '' && sent !== '' && shown !== sent && /\p{L}/u.test(shown ?? '');
}

/** Each record is searched for many bodies. */
const forms = new WeakMap<object, ReturnType<typeof searchable>>();

/** Records of the list that show this body, each counted once however often a moving list repeats it. */
export function recordsOf(list: LeadList, body: LeadBody): Record<string, unknown>[] {
  const found = new Map<string, Record<string, unknown>>();
  for (const record of list.records) {
    const searched = forms.get(record) ?? searchable(record);
    forms.set(record, searched);
    if (showsBody(searched, body) && !isOfSomebodyElse(record, body))
      found.set(recordId(record) ?? searched.text, record);
  }
  return [...found.values()];
}
