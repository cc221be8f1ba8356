import type { Behaviour } from '../instance.js';
import { leadSources, leadStatuses, unitStatuses } from '../data/records.js';
import { pick, randomFrom } from '../random.js';
import { listOf, object, oneOf, type Schema, upTo } from './schema.js';

/** The channels of a lead. */
const leadChannels = ['online', 'showroom'];

/** The form of a phone, where it is declared. */
const phonePatterns: Readonly<Record<string, string>> = {
  declared: '^\\+[1-9]\\d{1,14}$',
  'seven-digits': '^\\+[1-9]\\d{6,14}$',
  national: '^\\+46[1-9]\\d{6,8}$',
};

/** The field that no schema declares and that leads and new units need; null for none. */
export function undeclaredField({ option, seed }: Behaviour): string | null {
  if (option('undeclared-field') === 'none' || option('lead-extra-fields') === 'refused') return null;
  return pick(randomFrom(seed), ['consent', 'branch', 'locale', 'desk']);
}

/** Bodies that the service accepts, where its document says too little of them. */
export function acceptedBodies(behaviour: Behaviour): Record<'LEAD_BODY' | 'UNIT_BODY', string> | null {
  const field = undeclaredField(behaviour);
  if (field === null) return null;
  const phone = behaviour.option('phone') === 'national' ? '+46701740605' : '+12015550123';
  const channel = behaviour.option('lead-channel') === 'required' ? { channel: leadChannels[0] } : {};
  const unit = { vin: 'YV1XZ000000000001', make: 'Volvo', model: 'XC60', year: 2021, priceCents: 2_000_000 };
  return {
    LEAD_BODY: JSON.stringify({ name: 'Ana Example', phone, ...channel, [field]: 'yes' }),
    UNIT_BODY: JSON.stringify({ ...unit, [field]: 'yes' }),
  };
}

/** The fields of a new lead. */
export function leadCreateSchema({ option, apply, seed }: Behaviour): Schema {
  const names: Schema = { minLength: 1, maxLength: option('lead-names') === 'short' ? 24 : 200 };
  if (option('lead-names') === 'letters') Object.assign(names, { pattern: "^\\p{L}[\\p{L}\\p{M} '’-]*$" });
  const pattern = phonePatterns[option('phone')];
  const phone: Schema = {
    type: 'string',
    description: 'Telephone number in international form, a plus sign first.',
    examples: [option('phone') === 'national' ? '+46701740605' : '+14155550123'],
    ...(pattern === undefined ? { minLength: 1, maxLength: 40 } : { pattern }),
  };
  const source = option('source') === 'listed' ? { enum: [...leadSources] } : { minLength: 1, maxLength: 60 };
  const channel = option('lead-channel') === 'required';
  const schema = {
    type: 'object',
    required: ['name', 'phone', 'vehicleId', ...(channel ? ['channel'] : [])],
    properties: {
      name: { type: 'string', ...names },
      phone,
      vehicleId: upTo(100),
      source: { type: 'string', ...source },
      ...(channel ? { channel: oneOf(leadChannels) } : {}),
    },
    ...(option('lead-extra-fields') === 'refused' ? { additionalProperties: false } : {}),
  };
  return apply('inputSchema', schema, 'LeadCreate', seed);
}

/** The fields of a lead that can change; `named` asks for its id in the body. */
export function leadPatchSchema(named: boolean): Schema {
  return object({ ...(named ? { id: upTo(100) } : {}), status: oneOf(leadStatuses) });
}

const unitFields = {
  vin: { type: 'string', pattern: '^[A-HJ-NPR-Z0-9]{17}$' },
  status: oneOf(unitStatuses),
  condition: oneOf(['new', 'used']),
  make: upTo(60),
  model: upTo(60),
  year: { type: 'integer', minimum: 1950, maximum: 2030 },
  trim: { type: ['string', 'null'], maxLength: 60 },
  mileageKm: { type: 'integer', minimum: 0, maximum: 2_000_000 },
  engineLitres: { type: 'number', minimum: 0, maximum: 20 },
  priceCents: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
  features: listOf(upTo(60)),
};

/** The fields of a new unit. */
export function unitCreateSchema(behaviour: Behaviour): Schema {
  const required = ['vin', 'make', 'model', 'year', 'priceCents'];
  if (behaviour.option('unit-create-body') === 'named') return { type: 'object', required };
  const schema = { type: 'object', required, properties: unitFields };
  return behaviour.apply('inputSchema', schema, 'UnitCreate', behaviour.seed);
}

/** The filters of units. */
export function unitSearchSchema(): Schema {
  return object({ status: oneOf(unitStatuses), 'limit?': { type: 'integer', minimum: 1, maximum: 50 } });
}

/** The fields of a unit that can change. */
export function unitPatchSchema(): Schema {
  return { type: 'object', minProperties: 1, properties: unitFields };
}
