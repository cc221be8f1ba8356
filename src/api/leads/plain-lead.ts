import type { Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import { uniquePhone } from './phone-book.js';
import { leadForm, ownNames, uniqueName, postLead, type LeadForm } from './leads.js';
import type { Lead } from '../../generators/leads/lead-schema.js';
import { sampleTexts } from '../../generators/schema/strings.js';
import { leadVehicles, type LeadVehicles } from './lead-vehicles.js';

/** A lead that the specification and the document allow, with a name, a phone and, where there are enough, a vehicle that no other lead has. */
export async function plainLead(
  check: Check,
  options: Pick<RequestOptions, 'as' | 'tenant'> = {},
  vehicleId?: string,
): Promise<{ name: string; phone: string; vehicleId: string }> {
  const form = await leadForm(check);
  const name = uniqueName(form, check.fresh('lead'));
  (await ownNames(check)).add(name.toLowerCase());
  return {
    ...form.base,
    ...(await freshTexts(check, form)),
    name,
    phone: await uniquePhone(check, form),
    vehicleId: vehicleId ?? (await (await vehiclesFor(check, options)).next(check)) ?? check.fresh('no unit'),
  };
}

/** A lead as of {@link plainLead}, with a source that the document allows, if there is one. */
export async function leadWithSource(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'> = {}): Promise<Lead> {
  const { schema } = await leadForm(check);
  const { values, examples } = schema.field('source');
  const lead = await plainLead(check, options);
  const source = (values ?? [...examples, 'website']).find((one) => schema.allows({ ...lead, source: one }));
  return source === undefined ? lead : { ...lead, source };
}

/**
 * Determines how leads are created, before a recorded step creates some. Recorded steps do not run again when evidence is graded, so later
 * checks must not depend on what they learned.
 */
export async function prepareLeads(check: Check): Promise<void> {
  const { readOnly, keys, otherTenant } = check.target;
  if (readOnly || keys.API_KEY === undefined) return;
  await plainLead(check);
  if (keys.OTHER_API_KEY !== undefined) await plainLead(check, { as: 'OTHER_API_KEY', tenant: otherTenant });
}

const specified = new Set(['name', 'phone', 'vehicleId', 'source']);

/** Whether further texts of leads are drawn anew for each. */
function extraTexts(check: Check): Promise<{ areDrawn: boolean }> {
  return check.once('further texts of leads', () => Promise.resolve({ areDrawn: false }));
}

/** Further texts that the document requires of a lead, drawn anew once leads with equal ones were refused: each lead may need its own. */
export async function freshTexts(check: Check, form: Pick<LeadForm, 'schema' | 'base'>): Promise<Lead> {
  const { schema, base } = form;
  if (base === null || !(await extraTexts(check)).areDrawn) return {};
  const seed = parseInt(check.fresh('further text').slice(0, 7), 16);
  const fresh: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(base)) {
    if (typeof value !== 'string' || specified.has(name)) continue;
    const made = sampleTexts(schema.properties.get(name), schema.whole, seed);
    fresh[name] = made.find((text) => text !== value && schema.allows({ ...base, [name]: text })) ?? value;
  }
  return fresh;
}

/** The vehicles that leads of this caller are for, one after another. */
export function vehiclesFor(check: Check, options: Pick<RequestOptions, 'as' | 'tenant'> = {}): Promise<LeadVehicles> {
  return leadVehicles(check, options, {
    post: async (vehicleId) => postLead(check, await plainLead(check, options, vehicleId)),
    drawTexts: async (areDrawn) => {
      const { base } = await leadForm(check);
      const has = Object.entries(base ?? {}).some(([name, value]) => typeof value === 'string' && !specified.has(name));
      (await extraTexts(check)).areDrawn = areDrawn && has;
      return has;
    },
  });
}
