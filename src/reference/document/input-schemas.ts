import type { Behaviour } from '../behaviour.js';
import { leadSources, leadStatuses, unitStatuses } from '../data/records.js';

type Schema = Record<string, unknown>;

/** What a lead may be created with; the service validates by the very same object. */
export function leadCreateSchema(behaviour: Behaviour): Schema {
  const { has, dial } = behaviour;
  const declaredPhone = dial('phone') === 'declared';
  const phone: Schema = {
    type: 'string',
    description: 'Telephone number in international form, a plus sign first.',
    examples: ['+14155550123'],
  };
  if (declaredPhone)
    phone['pattern'] = has('phone-without-plus-accepted') ? '^\\+?[1-9]\\d{1,14}$' : '^\\+[1-9]\\d{1,14}$';
  else Object.assign(phone, { minLength: 1, maxLength: 40 });
  return {
    type: 'object',
    required: ['name', 'phone', 'vehicleId'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: has('contract-narrows-input') ? 60 : 200 },
      phone,
      vehicleId: { type: 'string', minLength: 1, maxLength: 100 },
      source:
        dial('source') === 'listed'
          ? { type: 'string', enum: [...leadSources] }
          : has('accept-long-source')
            ? { type: 'string', pattern: '^[a-z][a-z_-]{2,19}$', minLength: 3, maxLength: 20 }
            : { type: 'string', minLength: 1, maxLength: 60 },
    },
    ...(dial('lead-extra-fields') === 'refused' ? { additionalProperties: false } : {}),
  };
}

/** What may be changed of a lead; `named` asks for its id in the body. */
export function leadPatchSchema(named: boolean): Schema {
  return {
    type: 'object',
    required: [...(named ? ['id'] : []), 'status'],
    properties: {
      ...(named ? { id: { type: 'string', minLength: 1, maxLength: 100 } } : {}),
      status: { type: 'string', enum: [...leadStatuses] },
    },
  };
}

const unitFields: Schema = {
  vin: { type: 'string', pattern: '^[A-HJ-NPR-Z0-9]{17}$' },
  status: { type: 'string', enum: [...unitStatuses] },
  condition: { type: 'string', enum: ['new', 'used'] },
  make: { type: 'string', minLength: 1, maxLength: 60 },
  model: { type: 'string', minLength: 1, maxLength: 60 },
  year: { type: 'integer', minimum: 1950, maximum: 2030 },
  trim: { type: ['string', 'null'], maxLength: 60 },
  mileageKm: { type: 'integer', minimum: 0, maximum: 2_000_000 },
  priceCents: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
};

/** What a unit may be created with. */
export function unitCreateSchema(behaviour: Behaviour): Schema {
  const required = ['vin', 'make', 'model', 'year', 'priceCents'];
  return {
    type: 'object',
    required: behaviour.has('contract-new-required-input') ? [...required, 'trim'] : required,
    properties: unitFields,
  };
}

/** What may be changed of a unit. */
export function unitPatchSchema(): Schema {
  return { type: 'object', minProperties: 1, properties: unitFields };
}
