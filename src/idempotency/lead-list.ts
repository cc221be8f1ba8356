import { asObject, declaredMaximum, paths, recordId, walk } from '../service/index.js';
import { isOfAnotherRun, listsSomeLeads } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import type { LeadBody } from './lead-body.js';
import { searchable, showsBody } from './lead-answer.js';
import { home, type Party } from './request-log.js';

/** Leads as a declared list shows them. */
export interface LeadList {
  readonly records: readonly Record<string, unknown>[];
  /** Whether the last page was read. */
  readonly complete: boolean;
  /** Why it was not read to its end, as a sentence. */
  readonly stopped: string | null;
  readonly exchanges: readonly Exchange[];
}

/**
 * Walks the declared list of leads, at most `maxPages` pages; null where there is none or it cannot be read. Leads of other runs are left out:
 * they may have a phone in common with one of this run.
 */
export async function readLeads(check: Check, maxPages: number, party: Party = home): Promise<LeadList | null> {
  const { contract } = await check.contract();
  const operation = contract.operation('GET', paths.leads);
  if (operation === null) return null;
  const most = await declaredMaximum(check, paths.leads);
  const takesLimit = operation.parameters.some((one) => one.in === 'query' && one.name === 'limit');
  const { pages, items, complete, stopped } = await walk(check, {
    ...party.options,
    path: paths.leads,
    ...(takesLimit ? { limit: Number.isFinite(most) ? Math.max(1, Math.min(100, most)) : 50 } : {}),
    maxPages,
  });
  if (pages[0]?.items === null) return null;
  const isForeign = await Promise.all(items.map((item) => isOfAnotherRun(check, asObject(item) ?? {})));
  return {
    records: items
      .map(asObject)
      .filter((record, at) => record !== null && isForeign[at] !== true) as LeadList['records'],
    complete: complete && !(await listsSomeLeads(check)),
    stopped,
    exchanges: pages.map(({ exchange }) => exchange),
  };
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
