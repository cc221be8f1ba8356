import { descriptionObjects } from '../lint/description-objects.js';
import { child } from './pointer.js';
import { asObject } from '../values.js';

/** One outermost Schema Object of a document. */
export interface SchemaPlace {
  readonly pointer: string;
  readonly schema: unknown;
}

/** Every outermost Schema Object of a document, wherever OpenAPI 3.1 lets one stand; references are left to where they lead. */
export function schemaObjects(document: Record<string, unknown>): SchemaPlace[] {
  const named = Object.entries(asObject(asObject(document['components'])?.['schemas']) ?? {});
  return [
    ...descriptionObjects(document).flatMap(({ kind, node, pointer }) =>
      ['parameter', 'header', 'media-type'].includes(kind) && node['schema'] !== undefined
        ? [{ pointer: child(pointer, 'schema'), schema: node['schema'] }]
        : [],
    ),
    ...named.map(([name, schema]) => ({ pointer: child('/components/schemas', name), schema })),
  ];
}
