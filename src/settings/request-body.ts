import type { RawSettings } from './setting-table.js';
import { SettingsError } from './settings-error.js';
import { type InputFile, readInput, wrongFile } from './wrong-input.js';

/** The settings that name a file with a body which the service accepts. */
const bodySettings = ['LEAD_BODY', 'UNIT_BODY'] as const;

/** The object in the file of such a setting, or in its value once {@link withBodies} has read it; null where it is not set. */
export function requestBody(name: (typeof bodySettings)[number], raw: RawSettings): Record<string, unknown> | null {
  const value = raw[name]?.trim();
  if (!value) return null;
  const expected = 'a JSON object, the body of a request that the service accepts';
  const input: InputFile = { file: value, by: name, expected };
  let body: unknown;
  try {
    const text = value.startsWith('{') ? value : readInput(input).toString('utf8');
    body = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw error instanceof SettingsError ? error : wrongFile(input, 'is no JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrongFile(input, 'is no object');
  return body as Record<string, unknown>;
}

/** The settings with bodies in place of the files that they name: what is judged later needs no file. */
export function withBodies(raw: RawSettings): RawSettings {
  const read = bodySettings.flatMap((name) => {
    const body = requestBody(name, raw);
    return body === null ? [] : [[name, JSON.stringify(body)] as const];
  });
  return { ...raw, ...Object.fromEntries(read) };
}
