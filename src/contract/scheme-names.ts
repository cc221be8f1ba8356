import { asObject, objectsIn } from './values.js';

/**
 * A document in which the names of HTTP authentication schemes are in lower case, as they mean the same in any (RFC 9110 §11.1) and the schema of
 * OpenAPI 3.1 knows `bearer` alone. The document itself is not changed.
 */
export function withPlainSchemes(document: Record<string, unknown>): Record<string, unknown> {
  const components = asObject(document['components']);
  const schemes = asObject(components?.['securitySchemes']);
  if (schemes === null) return document;
  const plain = objectsIn(schemes).flatMap(([name, { scheme, ...rest }]) =>
    typeof scheme === 'string' ? [[name, { ...rest, scheme: scheme.toLowerCase() }] as const] : [],
  );
  return {
    ...document,
    components: { ...components, securitySchemes: { ...schemes, ...Object.fromEntries(plain) } },
  };
}
