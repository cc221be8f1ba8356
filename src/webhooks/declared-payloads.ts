import { asObject, child, createValidators, member } from '../openapi/index.js';

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

/** The pointers of the JSON schemas of a webhook's request body; empty where it declares none. */
function schemaPointers(document: Record<string, unknown>, name: string): readonly string[] {
  const webhook = member(document, { node: document, pointer: '' }, 'webhooks', name);
  for (const method of ['post', 'put', 'patch']) {
    const content = member(document, webhook, method, 'requestBody', 'content');
    const types = Object.keys(content?.node ?? {}).filter((type) => jsonType.test(type));
    const media = types.map((type) => member(document, content, type)).filter((one) => one !== null);
    const declaring = media.filter(({ node }) => node['schema'] !== undefined);
    if (declaring.length > 0) return declaring.map(({ pointer }) => child(pointer, 'schema'));
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
      const errors =
        problem === null ? validators.errors(pointer, payload).map(({ text }) => text) : [problem.slice(0, 200)];
      if (errors.length === 0) return { kind: 'met', detail: '', pointer };
      if (verdict.kind !== 'not-met')
        verdict = { kind: problem === null ? 'not-met' : 'unusable', detail: errors.slice(0, 4).join('; '), pointer };
    }
    return verdict;
  };
}
