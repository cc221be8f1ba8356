import { asObject } from '../values.js';

/** A document that was read, or one sentence saying why not. */
export type ParsedDocument =
  { readonly ok: true; readonly document: Record<string, unknown> } | { readonly ok: false; readonly problem: string };

const deepest = 200;

/** How deep a value is nested, counted no further than `limit`. */
function deeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((node) =>
      typeof node === 'object' && node !== null ? (Object.values(node) as unknown[]) : [],
    );
  }
  return false;
}

/** Reads an OpenAPI document from bytes: strict UTF-8, JSON only (never YAML), a JSON object of bounded depth. Never throws. */
export function parseDocument(bytes: Buffer): ParsedDocument {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, problem: 'it is no valid UTF-8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: text.trim() === '' ? 'it is empty' : 'it is no JSON' };
  }
  const document = asObject(value);
  if (document === null)
    return {
      ok: false,
      problem: `it is ${value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`}, not a JSON object`,
    };
  if (deeperThan(document, deepest)) return { ok: false, problem: `it is nested deeper than ${deepest} levels` };
  return { ok: true, document };
}
