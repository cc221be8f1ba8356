import { membersOf } from '../body-reader.js';
import { leadDataSchema } from '../lead-shapes.js';
import { listOf, objectOf, ref, text } from '../schemas.js';
import type { Flavour, JsonObject } from '../types.js';
import { always, bodied, creating, withId, type OperationParts } from './operation-parts.js';

export const leadInput = (flavour: Flavour, partial: boolean): JsonObject => {
  const { leadRules } = flavour;
  const phone: JsonObject =
    leadRules.phone === 'strict'
      ? { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$' }
      : leadRules.phone === 'plus'
        ? { type: 'string', pattern: '^\\+[0-9 ().-]{5,25}$' }
        : { type: 'string', maxLength: 200 };
  return {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        maxLength: leadRules.nameMax,
        ...(leadRules.required.includes('name') ? { minLength: 1, pattern: '\\S' } : {}),
      },
      phone,
      vehicleId: { type: 'string', maxLength: 500 },
      source:
        leadRules.sources.length > 0
          ? { type: 'string', enum: [...leadRules.sources] }
          : { type: 'string', maxLength: 200 },
    },
    ...(!partial && leadRules.required.length > 0 ? { required: [...leadRules.required] } : {}),
    ...(leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

/** The path of the list of leads. */
export const leadsPath = (flavour: Flavour, parts: OperationParts): JsonObject => {
  const { ok, failures, idempotencyParameter, operation, shared, replayed } = parts;
  const created = ok(leadDataSchema(flavour), 'Lead created');
  const leads: JsonObject = {
    ...shared(),
    post: operation(
      'createLead',
      'Create a lead',
      [idempotencyParameter],
      { ...replayed(flavour.leadStatus, created), ...failures(creating) },
      ref('LeadInput'),
    ),
  };
  const leadList = listOf(ref('Lead'));
  if (flavour.leadsSecond === 'list')
    leads['get'] = operation(
      'listLeads',
      'List leads, latest first',
      [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
        { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
      ],
      {
        '200': ok(objectOf({ items: leadList, nextOffset: { type: ['integer', 'null'] } })),
        ...failures(always),
      },
    );
  if (flavour.leadsSecond === 'lookup')
    leads['get'] = operation(
      'findLeads',
      'Find leads by telephone',
      [{ name: 'phone', in: 'query', required: true, schema: { type: 'string', minLength: 1 } }],
      { '200': ok(objectOf({ matches: leadList })), ...failures(always) },
    );
  const leadChange = { '200': ok(leadDataSchema(flavour)), ...failures([...bodied, 'not_found']) };
  if (flavour.leadsSecond === 'put') {
    const schema = leadInput(flavour, true);
    const known = membersOf(schema['properties']);
    const properties = { id: text, ...known };
    const body = { ...schema, required: ['id'], properties };
    leads['put'] = operation('updateLead', 'Change a lead named in the body', [], leadChange, body);
  }
  if (flavour.leadsSecond === 'patch')
    leads['patch'] = operation(
      'patchLead',
      'Change a lead named in the body',
      [],
      leadChange,
      objectOf({ leadId: text, changes: leadInput(flavour, true) }),
    );
  return leads;
};

export const leadId: JsonObject = { name: 'id', in: 'path', required: true, schema: text };

/** The path of a single lead. */
export const leadPath = (flavour: Flavour, { ok, failures, operation, shared }: OperationParts): JsonObject => ({
  ...shared(leadId),
  get: operation('getLead', 'Get a lead', flavour.doc.pathLevel ? [] : [leadId], {
    '200': ok(ref('Lead')),
    ...failures(withId),
  }),
});
