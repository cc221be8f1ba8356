import { membersOf } from '../body-reader.js';
import type { Broken } from '../breaches/breaches.js';
import { text } from '../schemas.js';
import type { JsonObject } from '../types.js';

/** Breaches of the document that are made in the finished text. */
export const damage = (document: JsonObject, broken: Broken, prefix: string): JsonObject => {
  const copy = JSON.parse(JSON.stringify(document)) as JsonObject;
  const paths = membersOf(copy['paths']);
  const units = membersOf(paths[`${prefix}/units`]);
  const leads = membersOf(paths[`${prefix}/leads`]);
  const deals = membersOf(paths[`${prefix}/deals`]);
  const list = membersOf(units['get']);
  const post = membersOf(leads['post']);
  const dealOperation = membersOf(deals['get'] ?? deals['post']);
  if (broken('doc-dangling-ref'))
    membersOf(dealOperation['responses'])['200'] = { $ref: '#/components/responses/DealPage' };
  if (broken('doc-dangling-request-ref'))
    post['requestBody'] = {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LeadInputs' } } },
    };
  if (broken('doc-duplicate-operation-id')) dealOperation['operationId'] = list['operationId'] ?? null;
  if (broken('doc-type-typo'))
    post['requestBody'] = {
      content: {
        'application/json': {
          schema: { type: 'object', properties: { name: text, phone: text, vehicleId: text, rank: { type: 'int' } } },
        },
      },
    };
  return copy;
};
