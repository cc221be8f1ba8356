import fc from 'fast-check';
import { filterWithAcceptanceRate } from '../schema/filter-with-acceptance-rate.js';
import type { Lead, LeadForm, LeadSchema } from './lead-schema.js';
import { isPersonName, nameArbitrary } from './names.js';
import { isWidelyKnown, phoneArbitrary, mobilePhones } from './phones.js';
import { sampleTexts } from '../schema/strings.js';
import { isOrdinarySize, declaredExtras, type LeadCase } from './leads.js';

/** Leads that must be accepted: every field drawn from what the specification and the schema allow. */
export function arbitraryOf(form: LeadForm): fc.Arbitrary<LeadCase> {
  const { schema, base } = form;
  const sources = schema.field('source').values ?? [];
  const extras = [...declaredExtras(schema)];
  const units = form.unitIds.length > 0 ? form.unitIds : [String(base['vehicleId'])];
  const parts = fc.record({
    name: textOf(schema, base, 'name'),
    phone: textOf(schema, base, 'phone'),
    // Drawn independently of how many units there are, so that a seed means the same after one was sold.
    unit: fc.nat({ max: 31 }),
    source: sources.length > 0 ? fc.option(fc.constantFrom(...sources), { nil: undefined }) : fc.constant(undefined),
    extra: fc
      .subarray(extras)
      .chain((picked) =>
        fc.tuple(...picked.map(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))),
      ),
  });
  const made = parts.map(({ name, phone, unit, source, extra }): LeadCase => {
    const lead = {
      ...base,
      name,
      phone,
      vehicleId: units[unit % units.length],
      ...(source === undefined ? {} : { source }),
      ...Object.fromEntries(extra),
    };
    const isUsual =
      (isPersonName(String(name)) || name === base['name']) && isWidelyKnown(String(phone), String(base['phone']));
    return {
      lead,
      field: 'random',
      label: 'a random lead',
      strength: isUsual && isOrdinarySize(form, lead) ? 'must' : 'should',
    };
  });
  return filterWithAcceptanceRate(made, (one) => schema.allows(one.lead), 'a lead');
}

function textOf(schema: LeadSchema, base: Lead, field: 'name' | 'phone'): fc.Arbitrary<unknown> {
  const { minLength, maxLength } = schema.field(field);
  // A declared pattern may allow blanks that a service trims or refuses.
  const fits = (value: unknown): boolean =>
    typeof value === 'string' && value !== '' && value.trim() === value && schema.allows({ ...base, [field]: value });
  const choices: readonly (() => fc.Arbitrary<unknown>)[] =
    field === 'name'
      ? [() => nameArbitrary(minLength, maxLength), () => declaredText(schema, field)]
      : // A declared pattern may allow more than numbers that exist; a service may refuse those others.
        [phoneArbitrary, () => fc.constantFrom(...mobilePhones().filter(fits))];
  for (const choice of choices) {
    try {
      return filterWithAcceptanceRate(choice(), fits, field);
    } catch {
      // It has too few values that are allowed, or none.
    }
  }
  return fc.constant(base[field]);
}

/** Texts that the document declares. */
function declaredText(schema: LeadSchema, field: string): fc.Arbitrary<unknown> {
  const { values } = schema.field(field);
  const draw = (seed: number): unknown => sampleTexts(schema.properties.get(field), schema.whole, seed, 1)[0];
  return values === null ? fc.nat({ max: 9_999 }).map(draw) : fc.constantFrom(...values);
}
