import { membersOf } from '../body-reader.js';
import type { Broken } from '../breaches/breaches.js';
import { text } from '../schemas.js';
import type { Json, JsonObject } from '../types.js';
import { lookUp } from './document-style.js';

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
  const open = (value: Json | undefined): JsonObject => {
    const node = membersOf(value);
    const pointer = node['$ref'];
    return typeof pointer === 'string' ? membersOf(lookUp(copy, pointer)) : node;
  };
  if (broken('doc-dangling-ref'))
    membersOf(dealOperation['responses'])['200'] = { $ref: '#/components/responses/DealPage' };
  if (broken('doc-dangling-request-ref'))
    post['requestBody'] = {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LeadInputs' } } },
    };
  if (broken('doc-no-leads')) delete leads['post'];
  if (broken('doc-duplicate-operation-id')) dealOperation['operationId'] = list['operationId'] ?? null;
  if (broken('doc-response-no-description')) {
    const { description: _gone, ...rest } = open(membersOf(dealOperation['responses'])['200']);
    membersOf(dealOperation['responses'])['200'] = rest;
  }
  if (broken('doc-type-typo'))
    post['requestBody'] = {
      content: {
        'application/json': {
          schema: { type: 'object', properties: { name: text, phone: text, vehicleId: text, rank: { type: 'int' } } },
        },
      },
    };
  if (broken('doc-media-type')) {
    const response = { ...open(membersOf(list['responses'])['200']) };
    const first = Object.values(membersOf(response['content']))[0] ?? {};
    response['content'] = { 'application/vnd.units+json': first };
    membersOf(list['responses'])['200'] = response;
  }
  return copy;
};
