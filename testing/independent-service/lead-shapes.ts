import { objectOf, text } from './schemas.js';
import type { Flavour, JsonObject, LeadState } from './types.js';

export const leadRecord = (flavour: Flavour, lead: LeadState): JsonObject => {
  if (flavour.leadShape === 'contact')
    return {
      leadId: lead.id,
      contact: { name: lead.name, phone: lead.phone },
      interest: { vehicleId: lead.vehicleId },
      origin: lead.source,
      score: null,
    };
  return {
    id: lead.id,
    name: lead.name,
    phone: lead.phone,
    vehicleId: lead.vehicleId,
    ...(lead.source === null ? {} : { source: lead.source }),
    stage: 'new',
    createdAt: lead.createdAt,
  };
};

export const leadRecordSchema = (flavour: Flavour): JsonObject =>
  flavour.leadShape === 'contact'
    ? objectOf({
        leadId: text,
        contact: objectOf({ name: text, phone: text }),
        interest: objectOf({ vehicleId: text }),
        origin: { type: ['string', 'null'] },
        score: { type: ['number', 'null'] },
      })
    : {
        ...objectOf(
          {
            id: text,
            name: text,
            phone: text,
            vehicleId: text,
            source: text,
            stage: { type: 'string', enum: ['new', 'qualified', 'converted'] },
            createdAt: { type: 'string', format: 'date-time' },
          },
          ['source'],
        ),
        ...(flavour.units.closed ? { additionalProperties: false } : {}),
      };

/** The `data` of a created or changed lead. */
export const leadData = (flavour: Flavour, lead: LeadState): JsonObject => {
  if (flavour.leadShape === 'id-only') return { id: lead.id };
  const record = leadRecord(flavour, lead);
  return flavour.leadShape === 'nested' ? { lead: record } : record;
};

export const leadDataSchema = (flavour: Flavour): JsonObject => {
  if (flavour.leadShape === 'id-only') return objectOf({ id: text });
  const ref: JsonObject = { $ref: '#/components/schemas/Lead' };
  return flavour.leadShape === 'nested' ? objectOf({ lead: ref }) : ref;
};
