import { readFileSync } from 'node:fs';
import { orSettingsError } from './file-error.js';
import { flagOf, type RawSettings } from './setting-table.js';
import { SettingsError } from './settings-error.js';

/** The settings that name a file with a body which the service accepts. */
const bodySettings = ['LEAD_BODY', 'UNIT_BODY'] as const;

/** The object in the file of such a setting, or in its value once {@link withBodies} has read it; null where it is not set. */
export function requestBody(name: (typeof bodySettings)[number], raw: RawSettings): Record<string, unknown> | null {
  const value = raw[name]?.trim();
  if (!value) return null;
  const text = value.startsWith('{')
    ? value
    : orSettingsError(
        () => readFileSync(value, 'utf8'),
        (code) => `${name} names ${value}, which cannot be read (${code}): expected a JSON file.`,
      );
  const where = value.startsWith('{') ? 'is' : `names ${value}, which is`;
  const wrong = (found: string): SettingsError =>
    new SettingsError(
      `${name} ${where} ${found}: expected a JSON object, the body of a request that the service accepts; fix it in .env, the environment or with ${flagOf(name)}.`,
    );
  let body: unknown;
  try {
    body = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw wrong('no JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('no object');
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
