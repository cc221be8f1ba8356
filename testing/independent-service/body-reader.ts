import { failure } from './replies.js';
import type { Call, Flavour, Json, JsonObject, Reply } from './types.js';

export type ReadBody = { readonly value: Json; readonly raw: string } | { readonly refusal: Reply };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object; none of anything else. */
export const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The deepest nesting of a JSON text, counted without recursion. */
const depthOf = (raw: string): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < raw.length; i += 1) {
    const c = raw.charCodeAt(i);
    if (inString) {
      if (c === 92) i += 1;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 123 || c === 91) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (c === 125 || c === 93) depth -= 1;
  }
  return deepest;
};

export const readJson = (flavour: Flavour, call: Call): ReadBody => {
  if (call.tooLarge) return { refusal: failure(flavour, 'too_large', 'the body is too large') };
  const type = (call.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (flavour.leadRules.contentType === 'strict' && type !== 'application/json')
    return { refusal: failure(flavour, 'unsupported', 'send application/json') };
  let raw: string;
  try {
    raw = new TextDecoder('utf-8', { fatal: true }).decode(call.body);
  } catch {
    return { refusal: failure(flavour, 'bad_request', 'the body is not valid UTF-8') };
  }
  if (depthOf(raw) > 64) return { refusal: failure(flavour, 'bad_request', 'the body is nested too deeply') };
  try {
    return { value: JSON.parse(raw) as Json, raw };
  } catch {
    return { refusal: failure(flavour, 'bad_request', 'the body is not valid JSON') };
  }
};

/** JSON text with sorted keys; only used on values of bounded depth. */
export const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map((v: Json) => canonical(v)).join(',')}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((k) => `${JSON.stringify(k)}:${canonical(value[k] ?? null)}`)
      .join(',')}}`;
  return JSON.stringify(value);
};
