import { type Exchange, percentEncode } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { asObject, idIn, isSuccess, paths, recordId, recordIn, walk } from '../../service/index.js';
import { changePlaces, type ChangePlace } from './lead-update.js';
import { postLead } from './leads.js';
import { leadWithSource } from './lead-factory.js';
import { visibleChanges, type VisiblePatch } from '../units/unit-patch.js';

type Owner = Pick<RequestOptions, 'as' | 'tenant'>;
type Json = Record<string, unknown>;

/** A lead made for the purpose, and where the document declares that it is changed. */
export interface ChangeableLead {
  readonly id: string;
  readonly created: Exchange;
  /** The fields sent. */
  readonly sent: Json;
  readonly places: readonly ChangePlace[];
  /** Whether another caller has a lead of this id, too, or may have one as the id is short. */
  isTakenFor(other: Owner): Promise<boolean>;
  /** How it stands with its owner now; null where no declared operation shows it. */
  look(): Promise<{ readonly exchange: Exchange; readonly record: Json } | null>;
}

/** Makes a lead that the document declares can be changed by PATCH; null where it declares none or none could be made. */
export async function changeableLead(check: Check, owner: Owner): Promise<ChangeableLead | null> {
  const { contract } = await check.contract();
  const has = (method: string, path: string): boolean => contract.operation(method, path) !== null;
  if (check.target.readOnly || (await changePlaces(check, 'x')).length === 0) return null;
  const lead = await leadWithSource(check, owner);
  const made = await postLead(check, lead, owner);
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null) return null;
  const single = `${paths.leads}/${percentEncode(id)}`;
  return {
    id,
    created: made,
    sent: lead,
    places: await changePlaces(check, id),
    async isTakenFor(other) {
      if (!has('GET', single)) return id.length < 8;
      return isSuccess(await check.send({ ...other, path: single }));
    },
    async look() {
      if (has('GET', single)) {
        const exchange = await check.send({ ...owner, path: single });
        const record = recordIn(exchange, id) ?? (idIn(exchange) === id ? recordIn(exchange) : null);
        return record === null ? null : { exchange, record };
      }
      if (!has('GET', paths.leads)) return null;
      const { pages } = await walk(check, { ...owner, path: paths.leads, limit: 50, maxPages: 12 });
      for (const { exchange, items } of pages) {
        const record = asObject(items?.find((item) => recordId(item) === id));
        if (record !== null) return { exchange, record };
      }
      return null;
    },
  };
}

/** A change of the lead in a field that a service does not set by itself, with the path that it goes to. */
export async function changeOf(
  check: Check,
  { places }: ChangeableLead,
  record: Json,
): Promise<(VisiblePatch & { readonly path: string }) | null> {
  for (const { path, body } of places) {
    const isKept = (field: string): boolean => /^(id|leadId|phone|vehicleId|score|.*At)$/i.test(field);
    const [change] = await visibleChanges(check, path, record, isKept, body);
    if (change !== undefined) return { ...change, path };
  }
  return null;
}
