import type { Operation } from '../../openapi/operations.js';
import { bundle } from '../schema/bundle.js';
import { propertiesOf } from '../schema/normalized-schema.js';
import { isRecord, isSchema, type JsonSchema } from '../schema/schema.js';

/** The fields of a lead that the success answers of an operation declare, in `data` or under `data.lead`; empty where nothing is declared. */
export function declaredLeadFields(operation: Operation | null, document: unknown): ReadonlyMap<string, JsonSchema> {
  const responses = operation?.operation['responses'];
  const fields = new Map<string, JsonSchema>();
  if (!isRecord(responses)) return fields;
  for (const [status, response] of Object.entries(responses)) {
    if (!/^2/.test(status) || !isRecord(response)) continue;
    const media = isRecord(response['content']) ? Object.entries(response['content']) : [];
    const content = media.find(([type]) => /^application\/(?!problem\b)([\w.-]+\+)?json\b/i.test(type))?.[1];
    const schema = isRecord(content) ? content['schema'] : null;
    if (!isSchema(schema)) continue;
    try {
      const { schema: whole } = bundle(schema, document, 'response');
      const data = propertiesOf(whole, whole).get('data') ?? false;
      const found = propertiesOf(data, whole);
      const lead = found.has('name') ? found : propertiesOf(found.get('lead') ?? false, whole);
      if (lead.has('name') && lead.has('phone')) for (const [name, schema] of lead) fields.set(name, schema);
    } catch {
      // A schema that cannot be read declares nothing here; the document's own requirements speak of it.
    }
  }
  return fields;
}
