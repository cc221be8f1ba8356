import type { Exchange } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { asObject, idIn, isSuccess, paths, recordIn, shownById } from '../../service/index.js';
import { visibleChanges, type VisiblePatch } from '../units/unit-patch.js';
import { isFixed } from '../../generators/index.js';
import { leadWithSource, plainLead } from './lead-factory.js';
import type { ScopedOperation } from '../operations.js';
import { leadPath, listLeads, postLead } from './leads.js';

type Owner = Pick<RequestOptions, 'as' | 'tenant' | 'form'>;
type Json = Record<string, unknown>;

/** The PATCH that changes a lead, and the member of its body that names the lead. */
interface ChangePlace {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Finds the declared PATCH of a lead: on leads/{id}, or on leads with the id in the body. */
async function changePlaces(check: Check, id: string): Promise<readonly ChangePlace[]> {
  const { contract } = await check.contract();
  return [
    { path: leadPath(id), body: {} },
    { path: paths.leads, body: { id } },
    { path: paths.leads, body: { leadId: id } },
  ].filter(({ path }) => contract.operation('PATCH', path) !== null);
}

/** A declared change of a lead, tried on one that was made for it by `owner`, a key with full access. */
export type LeadUpdate = ScopedOperation['attempt'];

/**
 * How this target changes a lead, by PATCH on leads/{id} or on leads with the id in the body: the way that works, or one that full access
 * has no right to, where every way is refused so. Null where neither is declared.
 */
export async function leadUpdate(check: Check, owner: Owner = {}): Promise<LeadUpdate | null> {
  const { contract } = await check.contract();
  const lead = await changeableLead(check, owner, plainLead);
  const refused: LeadUpdate[] = [];
  let tried = 0;
  for (const place of lead?.places ?? []) {
    const options = { unique: check.fresh('change'), like: [] };
    const example = asObject(contract.exampleBody('PATCH', place.path, options));
    for (const change of [{ name: `${String(lead?.sent['name'])} again` }, example]) {
      const body = { ...change, ...place.body };
      if (change === null || contract.validateRequest('PATCH', place.path, body).length > 0) continue;
      const attempt: LeadUpdate = (options) =>
        check.send({ ...options, method: 'PATCH', path: place.path, json: body });
      const answer = await attempt(owner);
      if (isSuccess(answer)) return attempt;
      tried += 1;
      if ([401, 403].includes(answer.response?.status ?? 0)) refused.push(attempt);
    }
  }
  return refused.length === tried ? (refused[0] ?? null) : null;
}

/** A lead made for the purpose, and where the document declares that it is changed. */
export interface ChangeableLead {
  readonly id: string;
  readonly created: Exchange;
  /** The fields sent. */
  readonly sent: Json;
  readonly places: readonly ChangePlace[];
  /** Where it is read; null where no such operation is declared. */
  readonly single: string | null;
  /** How it stands with its owner now; null where no declared operation shows it. */
  look(): Promise<{ readonly exchange: Exchange; readonly record: Json } | null>;
}

/** Makes a lead that the document declares can be changed by PATCH; null where it declares none or none could be made. */
export async function changeableLead(
  check: Check,
  owner: Owner,
  make: (check: Check, owner: Owner) => Promise<Json> = leadWithSource,
): Promise<ChangeableLead | null> {
  if (check.target.readOnly || (await changePlaces(check, 'x')).length === 0) return null;
  const lead = await make(check, owner);
  return changeable(check, lead, await postLead(check, lead, owner), owner);
}

/** The lead that a create answered with, as its owner sees it; null where the document declares no change of it. */
export async function changeable(
  check: Check,
  sent: Json,
  created: Exchange,
  owner: Owner,
): Promise<ChangeableLead | null> {
  const { contract } = await check.contract();
  const has = (method: string, path: string): boolean => contract.operation(method, path) !== null;
  const id = isSuccess(created) ? idIn(created) : null;
  const places = id === null ? [] : await changePlaces(check, id);
  if (id === null || places.length === 0) return null;
  const single = leadPath(id);
  return {
    id,
    created,
    sent,
    single: has('GET', single) ? single : null,
    places,
    async look() {
      if (has('GET', single)) {
        const exchange = await check.send({ ...owner, path: single });
        const record = recordIn(exchange, id) ?? (idIn(exchange) === id ? recordIn(exchange) : null);
        return record === null ? null : { exchange, record };
      }
      const list = await listLeads(check, owner);
      return list === null ? null : (shownById(list).get(id) ?? null);
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
    const [change] = await visibleChanges(check, path, record, isFixed, body);
    if (change !== undefined) return { ...change, path };
  }
  return null;
}
