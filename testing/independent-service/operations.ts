import type { ErrorCode } from './error-styles.js';
import { withIdempotency } from './idempotency.js';
import { depthOf, isObject, problemsOf, type Json, type JsonObject } from './json.js';
import { crash, failure, invalid } from './replies.js';
import type { Call, Reply, Scope, World } from './world.js';

/** One method of one path: what the document says of it, and what it does. */
export type Operation = {
  /** The path is below the version. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`;
  readonly id: string;
  readonly parameters?: readonly JsonObject[];
  /** The schema of the request body, which is checked before `run`. */
  readonly body?: JsonObject;
  /** What it creates, under an idempotency key if one is sent. */
  readonly creates?: 'unit' | 'lead';
  /** The status of success; 200 unless given. */
  readonly status?: number;
  /** The schema of `data`. */
  readonly data: JsonObject;
  /** `input` is the request body, or empty. */
  readonly run: (world: World, call: Call, input: JsonObject) => Reply | Promise<Reply>;
};

/** The parts of `at`. */
export const placeOf = ({ at }: Operation): { method: string; path: string } => {
  const [method = '', path = ''] = at.split(' ');
  return { method, path };
};

/** The scope that an operation takes. */
export const scopeOf = (operation: Operation): Scope => {
  const { method, path } = placeOf(operation);
  if (path.startsWith('/deals')) return 'read:deals';
  return `${method === 'GET' ? 'read' : 'write'}:${path.startsWith('/units') ? 'inventory' : 'leads'}`;
};

/** A query parameter. */
export const query = (name: string, schema: JsonObject): JsonObject => ({ name, in: 'query', schema });

/** The failures that an operation may answer. */
export const failuresOf = ({ at, body, creates }: Operation): readonly ErrorCode[] => [
  ...(['missing_key', 'invalid_key', 'forbidden', 'tenant', 'bad_request', 'rate'] as const),
  ...(body ? (['invalid_fields', 'unsupported', 'too_large'] as const) : []),
  ...(creates ? (['conflict', 'in_progress'] as const) : []),
  ...(/\{id\}$|^P(?:UT|ATCH)/.test(at) ? (['not_found'] as const) : []),
];

const parsed = (raw: string): Json | undefined => {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return undefined;
  }
};

/** The body as text, or why it is none that is read. */
const readText = ({ flavour }: World, { body, tooLarge, header }: Call): string | Reply => {
  if (tooLarge) return failure(flavour, 'too_large', 'the body is too large');
  const type = (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (flavour.bodies.contentType === 'strict' && type !== 'application/json')
    return failure(flavour, 'unsupported', 'send application/json');
  try {
    const raw = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return depthOf(raw) > 64 ? failure(flavour, 'bad_request', 'the body is nested too deeply') : raw;
  } catch {
    return failure(flavour, 'bad_request', 'the body is not valid UTF-8');
  }
};

/** Breaches in which a body makes the service crash. */
const crashOf = ({ broken, flavour }: World, call: Call, { at, creates }: Operation): Reply | null => {
  const raw = call.body.toString('utf8');
  const value = depthOf(raw) > 64 ? undefined : parsed(raw);
  if (broken('second-op-null-crash') && at.endsWith(' /units') && value === null)
    return crash('TypeError: Cannot destructure property of null');
  if (creates !== 'lead') return null;
  if (broken('env-too-large-plain') && call.tooLarge)
    return crash('PayloadTooLargeError: request entity too large', 413);
  if (broken('lead-bad-utf8-crash') && raw.includes('\ufffd'))
    return crash('TypeError: The encoded data was not valid for encoding utf-8');
  if (!isObject(value)) return null;
  if (broken('lead-object-phone-crash') && typeof value['phone'] === 'object')
    return crash('TypeError: phone.startsWith is not a function');
  const fields = ['name', 'phone', 'vehicleId', 'source'].filter((field) => Object.hasOwn(value, field));
  if (broken('lead-hostile-500') && fields.some((field) => typeof value[field] !== 'string'))
    return { ...failure(flavour, 'bad_request', 'internal error'), status: 500 };
  return null;
};

/** Reads and checks the body, if the operation takes one, and does what is asked. */
export const perform = (world: World, call: Call, operation: Operation): Reply | Promise<Reply> => {
  const { flavour, broken } = world;
  const { body: schema, creates, run } = operation;
  if (!schema) return run(world, call, {});
  const crashed = crashOf(world, call, operation);
  if (crashed) return crashed;
  const raw = readText(world, call);
  if (typeof raw !== 'string') return raw;
  const value = parsed(raw);
  if (value === undefined) return failure(flavour, 'bad_request', 'the body is not valid JSON');
  const input: Json =
    broken('lead-array-accepted') && creates === 'lead' && Array.isArray(value) ? (value[0] as Json) : value;
  if (!isObject(input)) return failure(flavour, 'bad_request', 'a JSON object is expected');
  const act = async (): Promise<Reply> => {
    const problems = problemsOf(schema, input, world.inputs);
    return problems.length > 0 ? invalid(world, problems) : run(world, call, input);
  };
  return creates ? withIdempotency(world, call, creates, raw, input, act) : act();
};
