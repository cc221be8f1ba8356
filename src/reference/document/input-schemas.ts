import type { Behaviour } from '../behaviour.js';
import { leadSources, leadStatuses, unitStatuses } from '../data/records.js';

type Schema = Record<string, unknown>;

/** What a lead of one channel or another is made through. */
const leadChannels = ['online', 'showroom'];

/** What a lead may be created with, as the document says it. */
export function declaredLeadSchema(behaviour: Behaviour): Schema {
  const schema = leadCreateSchema(behaviour);
  const required = schema['required'] as string[];
  if (behaviour.has('document-requires-source')) return { ...schema, required: [...required, 'source'] };
  const optional = behaviour.has('document-loses-requirement') ? required[behaviour.seed % required.length] : undefined;
  return { ...schema, required: required.filter((name) => name !== optional) };
}

/** What the service validates a lead by: the declared schema, but for faults. */
export function leadCreateSchema(behaviour: Behaviour): Schema {
  const { has, dial } = behaviour;
  const declaredPhone = ['declared', 'seven-digits', 'national'].includes(dial('phone'));
  const names: Schema = { minLength: 1, maxLength: has('contract-narrows-input') ? 60 : 200 };
  if (dial('lead-names') === 'letters') Object.assign(names, { pattern: "^\\p{L}[\\p{L}\\p{M} '’-]*$" });
  if (dial('lead-names') === 'short') Object.assign(names, { maxLength: 24 });
  const phone: Schema = {
    type: 'string',
    description: 'Telephone number in international form, a plus sign first.',
    examples: [dial('phone') === 'national' ? '+46701740605' : '+14155550123'],
  };
  if (declaredPhone)
    phone['pattern'] = has('phone-without-plus-accepted')
      ? '^\\+?[1-9]\\d{1,14}$'
      : dial('phone') === 'seven-digits'
        ? '^\\+[1-9]\\d{6,14}$'
        : dial('phone') === 'national'
          ? '^\\+46[1-9]\\d{6,8}$'
          : '^\\+[1-9]\\d{1,14}$';
  else Object.assign(phone, { minLength: 1, maxLength: 40 });
  return {
    type: 'object',
    required: ['name', 'phone', 'vehicleId', ...(dial('lead-channel') === 'required' ? ['channel'] : [])],
    properties: {
      name: { type: 'string', ...names },
      phone,
      vehicleId: { type: 'string', minLength: 1, maxLength: 100 },
      source:
        dial('source') === 'listed'
          ? { type: 'string', enum: [...leadSources] }
          : has('accept-long-source')
            ? { type: 'string', pattern: '^[a-z][a-z_-]{2,19}$', minLength: 3, maxLength: 20 }
            : { type: 'string', minLength: 1, maxLength: 60 },
      ...(dial('lead-channel') === 'required' ? { channel: { type: 'string', enum: leadChannels } } : {}),
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
  if (behaviour.dial('unit-create-body') === 'named') return { type: 'object', required };
  return {
    type: 'object',
    required: behaviour.has('contract-new-required-input') ? [...required, 'trim'] : required,
    properties: unitFields,
  };
}

/** What units may be looked for by. */
export function unitSearchSchema(): Schema {
  return {
    type: 'object',
    required: ['status'],
    properties: { status: unitFields['status'], limit: { type: 'integer', minimum: 1, maximum: 50 } },
  };
}

/** What may be changed of a unit. */
export function unitPatchSchema(): Schema {
  return { type: 'object', minProperties: 1, properties: unitFields };
}
