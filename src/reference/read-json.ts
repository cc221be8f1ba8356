import type { FastifyRequest } from 'fastify';
import { ApiFailure, crash } from './api-failure.js';
import type { World } from './world.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function checkContentType(value: string | undefined, world: World): void {
  const { has } = world.behaviour;
  const [type = '', ...parameters] = (value ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((one) => one.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  const json = type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type);
  if (json && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return;
  if (type === '' ? has('crash-on-missing-content-type') : has('crash-on-wrong-content-type')) throw crash();
  throw new ApiFailure(415, 'unsupported_media_type', 'Send the body as application/json in UTF-8.');
}

/** How deep brackets stand within each other, texts left out; stops counting beyond `most`. */
function depthOf(text: string, most: number): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length && deepest <= most; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at += 1;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{' || letter === '[') deepest = Math.max(deepest, (depth += 1));
    else if (letter === '}' || letter === ']') depth -= 1;
  }
  return deepest;
}

function shapeFaults(text: string, value: unknown, bytes: number, world: World): void {
  const { has } = world.behaviour;
  const deep = (has('crash-on-deep-nesting') || has('dead-after-deep-nesting')) && depthOf(text, 100) > 100;
  if (deep && has('dead-after-deep-nesting')) world.broken = true;
  const crashes =
    (deep && has('crash-on-deep-nesting')) ||
    world.broken ||
    (has('crash-on-array-body') && Array.isArray(value)) ||
    (has('crash-on-null-body') && value === null) ||
    (has('crash-on-number-body') && typeof value === 'number') ||
    (has('crash-on-prototype-key') && /"__proto__"\s*:/.test(text)) ||
    (has('crash-on-lone-surrogate') && /\\ud[89a-f]/i.test(text) && holdsLoneSurrogate(value)) ||
    (has('crash-on-large-body') && bytes > 512 * 1_024);
  if (crashes) throw crash();
}

function holdsLoneSurrogate(value: unknown): boolean {
  const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  return texts.some((text) => typeof text === 'string' && /[\ud800-\udfff]/u.test(text));
}

/** The parsed body of a create or change; throws the refusal for what is no JSON in UTF-8. */
export function readJson(request: FastifyRequest, world: World): unknown {
  const { has } = world.behaviour;
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  checkContentType(request.headers['content-type'], world);
  if (bytes.length === 0) {
    if (has('crash-on-empty-body')) throw crash();
    throw new ApiFailure(400, 'malformed_json', 'The body is empty.');
  }
  let text: string;
  let value: unknown;
  try {
    text = strictUtf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    if (has('crash-on-malformed-json')) throw crash();
    throw new ApiFailure(400, 'malformed_json', 'The body is no JSON in UTF-8.');
  }
  shapeFaults(text, value, bytes.length, world);
  return value;
}
