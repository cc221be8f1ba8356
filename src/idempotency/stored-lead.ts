import { isSuccess, paths, recordId, recordIn } from '../service/index.js';
import { type Exchange, percentEncode } from '../http/index.js';
import type { Check } from '../run/index.js';
import { identityOf } from './lead-answer.js';
import { readLeads } from './lead-list.js';
import { probeTraits } from './probe-traits.js';

/** A lead as it is read, and where. */
export interface StoredLead {
  readonly record: Record<string, unknown>;
  readonly exchange: Exchange;
}

/** The lead that an answer showed as the declared operation on a single lead shows it now; null where none does. */
export async function readLead(check: Check, made: Exchange): Promise<StoredLead | null> {
  const id = identityOf(made);
  if (id === null) return null;
  const path = `${paths.leads}/${percentEncode(id)}`;
  const { contract } = await check.contract();
  if (contract.operation('GET', path) === null) return null;
  const exchange = await check.send({ path });
  const record = isSuccess(exchange) && identityOf(exchange) === id ? recordIn(exchange) : null;
  return record === null ? null : { record, exchange };
}

/** As `readLead`, or as the declared list shows it. */
export async function findLead(check: Check, made: Exchange): Promise<StoredLead | null> {
  const single = await readLead(check, made);
  const id = identityOf(made);
  if (single !== null || id === null) return single;
  const { pagesPerWalk } = await probeTraits(check);
  const list = pagesPerWalk === 0 ? null : await readLeads(check, pagesPerWalk);
  const record = list?.records.find((one) => recordId(one) === id);
  const exchange = list?.exchanges.at(-1);
  return record === undefined || exchange === undefined ? null : { record, exchange };
}
