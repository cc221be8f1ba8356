import type { Exchange } from '../http/exchange.js';
import type { Check, Wanted } from '../run/check.js';
import { isSuccess } from './envelope.js';
import { asObject } from './json.js';
import { leadId, plainLead, postLead } from './leads.js';
import { paths } from './paths.js';

/** A declared change of a lead, tried on one that was made for it and found to work with full access. */
export type LeadUpdate = (wish: Pick<Wanted, 'as' | 'tenant' | 'headers' | 'query'>) => Promise<Exchange>;

/** How this target changes a lead, by PATCH on leads/{id} or on leads with the id in the body; null where neither is declared and works. */
export async function leadUpdate(check: Check): Promise<LeadUpdate | null> {
  const { contract } = await check.contract();
  const declared = [`${paths.leads}/x`, paths.leads].some((path) => contract.operation('PATCH', path) !== null);
  if (!declared || check.target.readOnly) return null;
  const lead = await plainLead(check);
  const id = leadId(await postLead(check, lead));
  if (id === null) return null;
  const places: { path: string; body: Record<string, unknown> }[] = [
    { path: `${paths.leads}/${encodeURIComponent(id)}`, body: {} },
    { path: paths.leads, body: { id } },
    { path: paths.leads, body: { leadId: id } },
  ];
  for (const place of places) {
    if (contract.operation('PATCH', place.path) === null) continue;
    const wish = { seed: check.run.seed, unique: check.fresh('change'), like: [] };
    const example = asObject(contract.exampleBody('PATCH', place.path, wish));
    for (const change of [{ name: `${lead.name} again` }, example]) {
      const body = { ...change, ...place.body };
      if (change === null || contract.validateRequest('PATCH', place.path, body).length > 0) continue;
      const attempt: LeadUpdate = (asked) => check.send({ ...asked, method: 'PATCH', path: place.path, json: body });
      if (isSuccess(await attempt({}))) return attempt;
    }
  }
  return null;
}
