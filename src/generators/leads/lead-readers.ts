import { asArray, asObject } from '../../api/json.js';
import { leadId, recordId } from '../../api/leads/leads.js';
import { paths } from '../../api/paths.js';
import { walk } from '../../api/units/units.js';
import { dataOf, isGone } from '../../api/envelope.js';
import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import type { LeadOutcome } from './acceptance.js';
import type { LeadSession } from './lead-session.js';
import type { ReadBack } from './kept-leads.js';
import { shownLead } from './shown-changes.js';
import { percentEncode } from '../../http/percent-encode.js';

/** Declared ways to read leads. */
export interface Readers {
  readonly one: string | null;
  readonly list: string | null;
}

export async function leadReaders(check: Check): Promise<Readers> {
  const { contract } = await check.contract();
  const declared = contract.operations.filter((operation) => operation.method.toUpperCase() === 'GET');
  const one = declared.find((operation) => operation.role === 'lead' && /\{[^{}]+\}$/.test(operation.fullTemplate));
  const list = declared.find((operation) => operation.role === 'leads');
  return { one: one?.fullTemplate ?? null, list: list === undefined ? null : paths.leads };
}

/** Reads leads by their ids, as many as the budget allows, and all that the list shows; null where ids do not tell the leads apart. */
export async function readBack(
  check: Check,
  session: LeadSession,
  readers: Readers,
  taken: readonly LeadOutcome[],
  judge: (outcome: LeadOutcome, exchange: Exchange, shown: Record<string, unknown> | null) => void,
): Promise<ReadBack | null> {
  const leads = new Map<string, LeadOutcome>();
  for (const outcome of taken) {
    const id = leadId(outcome.exchange);
    // Equal ids for different leads are another requirement's matter; nothing shows which of them this is.
    if (id !== null) leads.set(id, outcome);
  }
  if (leads.size < taken.filter((outcome) => leadId(outcome.exchange) !== null).length) return null;
  const list = readers.list === null ? null : await walk(check, { path: readers.list, limit: 50, maxPages: 12 });
  for (const page of list?.pages ?? []) {
    for (const item of asArray(page.items) ?? []) {
      const outcome = leads.get(recordId(asObject(item)) ?? '');
      if (outcome) judge(outcome, page.exchange, asObject(item));
    }
  }
  const [shownIds, gone]: [string[], string[]] = [[], []];
  const reserve = check.run.depth === 'gate' ? 4 : 60;
  for (const [id, outcome] of [...leads].sort(([, a], [, b]) => telling(b) - telling(a))) {
    if (readers.one === null || session.left <= reserve) break;
    const exchange = await check.send({ path: pathOf(readers, id) });
    const shown = shownLead(dataOf(exchange));
    const ownId = recordId(shown);
    if (isGone(exchange)) gone.push(id);
    if (shown === null || (ownId !== null && ownId !== id)) continue;
    shownIds.push(id);
    judge(outcome, exchange, shown);
  }
  return { leads, list, shown: shownIds, gone };
}

export function pathOf({ one }: Readers, id: string): string {
  return (one ?? '').replace(/\{[^{}]+\}$/, percentEncode(id));
}

/** Names that most changes would show on come first. */
function telling({ one, lead }: LeadOutcome): number {
  const name = String(lead['name']);
  return (
    (one.strength === 'open' ? 0 : 4) +
    (one.field === 'name' ? 2 : 0) +
    // A name that is long shows what is cut; two of those are read before the rest.
    (name.length > 60 && one.strength !== 'open' ? 2 : 0) +
    (/['"<&]| {2}|[^\x00-\x7f]/.test(name) || name.length > 60 ? 1 : 0)
  );
}

/** The answers that show a lead: the one that created it, and the one that reads it by its id. */
export async function shownIn(check: Check, readers: Readers, made: Exchange): Promise<Exchange[]> {
  const id = leadId(made);
  if (id === null || readers.one === null) return [made];
  return [made, await check.send({ path: pathOf(readers, id) })];
}
