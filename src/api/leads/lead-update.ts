import { type Exchange, percentEncode } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { asObject, idIn, isSuccess, paths } from '../../service/index.js';
import { postLead } from './leads.js';
import { plainLead } from './lead-factory.js';

/** The PATCH that changes a lead, and the member of its body that names the lead. */
export interface ChangePlace {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Finds the declared PATCH of a lead: on leads/{id}, or on leads with the id in the body. */
export async function changePlaces(check: Check, id: string): Promise<readonly ChangePlace[]> {
  const { contract } = await check.contract();
  return [
    { path: `${paths.leads}/${percentEncode(id)}`, body: {} },
    { path: paths.leads, body: { id } },
    { path: paths.leads, body: { leadId: id } },
  ].filter(({ path }) => contract.operation('PATCH', path) !== null);
}

/** A declared change of a lead, tried on one that was made for it with full access. */
export type LeadUpdate = (options: Pick<RequestOptions, 'as' | 'tenant' | 'headers' | 'query'>) => Promise<Exchange>;

/**
 * How this target changes a lead, by PATCH on leads/{id} or on leads with the id in the body: the way that works, or one that full access
 * has no right to, where every way is refused so. Null where neither is declared.
 */
export async function leadUpdate(check: Check): Promise<LeadUpdate | null> {
  const { contract } = await check.contract();
  if (check.target.readOnly || (await changePlaces(check, 'x')).length === 0) return null;
  const lead = await plainLead(check);
  const id = idIn(await postLead(check, lead));
  if (id === null) return null;
  const refused: LeadUpdate[] = [];
  let tried = 0;
  for (const place of await changePlaces(check, id)) {
    const options = { seed: check.run.seed, unique: check.fresh('change'), like: [] };
    const example = asObject(contract.exampleBody('PATCH', place.path, options));
    for (const change of [{ name: `${lead.name} again` }, example]) {
      const body = { ...change, ...place.body };
      if (change === null || contract.validateRequest('PATCH', place.path, body).length > 0) continue;
      const attempt: LeadUpdate = (options) =>
        check.send({ ...options, method: 'PATCH', path: place.path, json: body });
      const answer = await attempt({});
      if (isSuccess(answer)) return attempt;
      tried += 1;
      if ([401, 403].includes(answer.response?.status ?? 0)) refused.push(attempt);
    }
  }
  return refused.length === tried ? (refused[0] ?? null) : null;
}
