import type { Check, RequestOptions } from '../../run/check.js';
import { uniquePhone } from './phone-book.js';
import { leadForm, ownNames, uniqueName, freshTexts, vehiclesFor } from './leads.js';

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
