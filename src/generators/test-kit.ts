import type { JsonSchema } from './schema/schema.js';

/** A lead's schema as a document of this service would declare it. */
export const usualSchema: JsonSchema = {
  type: 'object',
  required: ['name', 'phone', 'vehicleId'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 120 },
    phone: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' },
    vehicleId: { type: 'string', minLength: 1 },
    source: { $ref: '#/components/schemas/Source' },
    notes: { type: 'string', maxLength: 500 },
    consent: { type: 'boolean' },
  },
};
