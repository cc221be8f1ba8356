import { createHash } from 'node:crypto';
import { follow } from './resolve.js';
import { child } from './pointer.js';
import { jsonContent, type Operation } from '../operations.js';
import { readOnlyNames } from './joined-schemas.js';
import { sample } from './example-instance.js';
import { asList, asObject, objectsIn } from '../values.js';

/** How a body is to be made. */
export interface ExampleOptions {
  /** Text that no other body of any run has. */
  readonly unique: string;
  /** Records of the same kind that the service shows: their values are likely to be acceptable. */
  readonly like: readonly unknown[];
}

/** Fields that tell records apart and that services often keep unique. */
const identifying =
  /^(vin|.*stock.*|.*sku.*|slug|.*serial.*|.*plate.*|code|.*reference.*|.*external.*|.*number|.*_no|id)$/i;

const alphabets: readonly string[] = ['0123456789ABCDEFGHJKLMNPRSTUVWXYZ', '0123456789abcdef', '0123456789'];

/** As many symbols as wanted, derived from text. */
function derive(text: string, alphabet: string, length: number): string {
  let out = '';
  for (let round = 0; out.length < length; round += 1) {
    for (const byte of createHash('sha256').update(`${text}/${round}`).digest())
      out += alphabet[byte % alphabet.length] ?? '';
  }
  return out.slice(0, length);
}

/** Replaces identifying strings by new ones of the same length, wherever the body stays valid. */
function makeUnique(body: unknown, unique: string, valid: (body: unknown) => boolean): unknown {
  const object = asObject(body);
  if (object === null) return body;
  let made = object;
  for (const [name, value] of Object.entries(object)) {
    const isMark = identifying.test(name) && !/phone|mobile|fax|tel/i.test(name);
    if (typeof value !== 'string' || !isMark || value.length < 4) continue;
    const keep = value.length > 12 ? 3 : 0;
    const tries = alphabets.map((alphabet) => {
      const text = derive(`${unique}/${name}`, alphabet, value.length - keep);
      return { ...made, [name]: value.slice(0, keep) + text };
    });
    made = tries.find(valid) ?? made;
  }
  return made;
}

/** Bodies that a declaration gives itself: examples of the media type, then of the schema. */
function declaredExamples(document: unknown, operation: Operation): unknown[] {
  const body = follow(document, operation.operation['requestBody'], child(operation.pointer, 'requestBody'));
  const media = body === null ? null : jsonContent(document, body);
  const schema = follow(document, operation.requestSchema, operation.requestPointer ?? '');
  const named = objectsIn(media?.node['examples']).map(([, raw]) => follow(document, raw, '')?.node['value']);
  return [media?.node['example'], ...named, schema?.node['example'], ...asList(schema?.node['examples'])].filter(
    (one) => asObject(one) !== null,
  );
}

const fields = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** The names of the fields that any of these records has. */
function fieldsOf(records: readonly unknown[]): ReadonlySet<string> {
  const names = fields.get(records) ?? new Set(records.flatMap((one) => Object.keys(asObject(one) ?? {})));
  fields.set(records, names);
  return names;
}

/** A body that the operation's declaration allows, with new identifying values; undefined where none of the tries is valid. */
export function exampleBodyFor(
  document: unknown,
  operation: Operation,
  { like: records, unique }: ExampleOptions,
  valid: (body: unknown) => boolean,
): unknown {
  const { requestPointer, requestSchema } = operation;
  if (requestPointer === null) return undefined;
  const shown = fieldsOf(records);
  // Records that are shown may hold what may not be sent.
  const made = (withShown: boolean, alternative: number, like = records): unknown =>
    sample(requestSchema, requestPointer, {
      document,
      unique,
      like,
      includes: (name) => withShown && shown.has(name) && !/^(id|created|updated|.*At)$/.test(name),
      alternative,
      budget: { left: 5000 },
    });
  function* tries(): Iterable<unknown> {
    yield* declaredExamples(document, operation);
    for (const alternative of [0, 1, 2, 3]) {
      yield made(true, alternative);
      yield made(false, alternative);
      yield made(false, alternative, []);
    }
  }
  for (const one of tries()) {
    if (!valid(one)) continue;
    const body = structuredClone(one);
    const names = readOnlyNames(document, requestSchema);
    const plain = Object.entries(asObject(body) ?? {}).filter(([name]) => !names.has(name));
    const sent = asObject(body) === null ? body : Object.fromEntries(plain);
    return makeUnique(valid(sent) ? sent : body, unique, valid);
  }
  return undefined;
}
