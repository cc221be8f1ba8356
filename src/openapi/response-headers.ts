import { child } from './schema/pointer.js';
import { follow, type Located, typesOf } from './schema/resolve.js';
import type { Validators } from './schema/validators.js';
import { objectsIn } from './values.js';

/** A header's text as the values that it may mean, whatever way its schema words the type; none where it is an object, whose form is open. */
function readings(text: string, schema: Located | null): unknown[] {
  const trimmed = text.trim();
  if (typesOf(schema?.node).includes('object')) return [];
  const values: unknown[] = [];
  if (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)) values.push(Number(trimmed));
  if (trimmed === 'true' || trimmed === 'false') values.push(trimmed === 'true');
  values.push(text);
  const parts = trimmed === '' ? [] : trimmed.split(',').map((part) => part.trim());
  values.push(
    parts,
    parts.map((part) => (/^-?\d+(\.\d+)?$/.test(part) ? Number(part) : part)),
  );
  return values;
}

const limitTrio = new Set(['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']);

/** A response header as a document declares it. */
export interface DeclaredHeader {
  /** In lower case. */
  readonly name: string;
  /** The value of `required`; null if absent. */
  readonly required: boolean | null;
}

/** The headers that a response declares. `Content-Type` is none of them: OpenAPI 3.1 has it ignored there. */
export function declaredHeaders(document: unknown, response: Located): DeclaredHeader[] {
  return declarationsOf(document, response).map(({ name, declared: { node } }) => ({
    name: name.toLowerCase(),
    required: typeof node['required'] === 'boolean' ? node['required'] : null,
  }));
}

function declarationsOf(document: unknown, response: Located): { readonly name: string; readonly declared: Located }[] {
  return objectsIn(response.node['headers']).flatMap(([name, raw]) => {
    const declared = follow(document, raw, child(child(response.pointer, 'headers'), name));
    return declared === null || name.toLowerCase() === 'content-type' ? [] : [{ name, declared }];
  });
}

/**
 * Violations of the declared headers by an answer. An absent header counts where the declaration requires it, and for the three RateLimit
 * fields of a success, which the specification requires on every answer.
 */
export function headerErrors(
  document: unknown,
  response: Located,
  status: number,
  headers: readonly (readonly [string, string])[],
  validators: Validators,
): string[] {
  const errors: string[] = [];
  for (const { name, declared } of declarationsOf(document, response)) {
    const lower = name.toLowerCase();
    const sent = headers.filter(([header]) => header === lower).map(([, value]) => value);
    if (sent.length === 0) {
      if (declared.node['required'] === true || (limitTrio.has(lower) && status >= 200 && status < 300))
        errors.push(`the declared header ${name} is missing`);
      continue;
    }
    if (declared.node['schema'] === undefined) continue;
    const pointer = child(declared.pointer, 'schema');
    const schema = follow(document, declared.node['schema'], pointer);
    const values = readings(sent.join(', '), schema);
    const tried = values.map((value) => validators.errors(pointer, value));
    const failed = tried[0]?.[0];
    if (failed !== undefined && tried.every((one) => one.length > 0)) {
      const value = JSON.stringify(sent.join(', ').slice(0, 80));
      errors.push([`${name}:`, value, failed.pointer, failed.wrong].filter(Boolean).join(' '));
    }
  }
  return errors;
}
