import { at, child, localPointer } from '../openapi/schema/pointer.js';
import { createValidators } from '../openapi/schema/validators.js';
import { asObject } from '../openapi/values.js';

/** The relation of a payload to its declaration. */
export interface PayloadVerdict {
  readonly kind: 'met' | 'not-met' | 'undeclared' | 'unusable';
  /** The first breaches of the schema, or why there is none to hold to. */
  readonly detail: string;
  /** JSON pointer of the schema in the document. */
  readonly pointer: string | null;
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const jsonType = /^(?:application\/(?:[\w.+-]*\+)?json|\*\/\*|application\/\*)\s*(?:;|$)/i;

/** The pointer that is meant where the object at a pointer is a local `$ref`; null where it leads nowhere. */
function settle(document: Record<string, unknown>, pointer: string, hops = 8): string | null {
  const object = asObject(at(document, pointer));
  if (object === null) return null;
  if (typeof object['$ref'] !== 'string') return pointer;
  const next = localPointer(object['$ref']);
  return next === null || hops === 0 ? null : settle(document, next, hops - 1);
}

function below(document: Record<string, unknown>, pointer: string | null, ...names: readonly string[]): string | null {
  let found = pointer;
  for (const name of names) found = found === null ? null : settle(document, child(found, name));
  return found;
}

/** The pointers of the JSON schemas of a webhook's request body; empty where it declares none. */
function schemaPointers(document: Record<string, unknown>, name: string): readonly string[] {
  const webhook = below(document, '', 'webhooks', name);
  for (const method of ['post', 'put', 'patch']) {
    const content = below(document, webhook, method, 'requestBody', 'content');
    const types = Object.keys(asObject(content === null ? null : at(document, content)) ?? {}).filter((type) =>
      jsonType.test(type),
    );
    const media = types.map((type) => below(document, content, type)).filter((pointer) => pointer !== null);
    const pointers = media
      .map((pointer) => child(pointer, 'schema'))
      .filter((pointer) => at(document, pointer) !== undefined);
    if (pointers.length > 0) return pointers;
  }
  return [];
}

/** The name under which a document declares a kind's webhook: the kind itself, or its letters with other signs between; null where it does not. */
export function declaredName(document: Record<string, unknown> | null, kind: string): string | null {
  const names = Object.keys(asObject(document?.['webhooks']) ?? {});
  return names.find((name) => name === kind) ?? names.find((name) => bare(name) === bare(kind)) ?? null;
}

/** Holds payloads to what a document's `webhooks` declare; schemas are compiled once each, from the raw document. */
export function payloadJudge(
  document: Record<string, unknown> | null,
): (kind: string, payload: unknown) => PayloadVerdict {
  const validators = createValidators(document ?? {});
  return (kind, payload) => {
    const name = declaredName(document, kind);
    if (document === null || name === null)
      return { kind: 'undeclared', detail: `the document declares no webhook ${kind}`, pointer: null };
    const pointers = schemaPointers(document, name);
    let verdict: PayloadVerdict = {
      kind: 'undeclared',
      detail: `the webhook ${name} declares no JSON schema`,
      pointer: null,
    };
    for (const pointer of pointers) {
      const problem = validators.problem(pointer)?.text ?? null;
      const errors = problem === null ? validators.errors(pointer, payload) : [problem.slice(0, 200)];
      if (errors.length === 0) return { kind: 'met', detail: '', pointer };
      if (verdict.kind !== 'not-met')
        verdict = { kind: problem === null ? 'not-met' : 'unusable', detail: errors.slice(0, 4).join('; '), pointer };
    }
    return verdict;
  };
}
