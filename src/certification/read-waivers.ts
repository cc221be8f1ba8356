import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { SettingsError } from '../target/settings-error.js';

/** A breach that is known and put up with until a day. */
export interface Waiver {
  readonly id: string;
  readonly reason: string;
  readonly link: string;
  readonly owner: string;
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly expires: string;
}

const fields = ['id', 'reason', 'link', 'owner', 'expires'] as const;
const mostBytes = 256 * 1024;
const mend =
  'expected "waivers:" with a list of entries that each have id, reason, link, owner and expires (YYYY-MM-DD)';

function isDay(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
  );
}

function readEntry(value: unknown, place: string): Waiver {
  const wrong = (what: string): SettingsError => new SettingsError(`${place} ${what}: ${mend}.`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is no entry');
  const entry = value as Record<string, unknown>;
  const stranger = Object.keys(entry).find((name) => !(fields as readonly string[]).includes(name));
  if (stranger !== undefined) throw wrong(`has "${stranger.slice(0, 40)}", which is not understood`);
  const text = (name: (typeof fields)[number]): string => {
    const found = entry[name];
    if (typeof found !== 'string' || found.trim() === '') throw wrong(`has no ${name}`);
    return found.trim();
  };
  const [id, reason, link, owner, expires] = fields.map(text) as [string, string, string, string, string];
  if (!/^[A-Z]+-\d+$/.test(id)) throw wrong(`names "${id.slice(0, 40)}", which is no requirement's id`);
  if (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol))
    throw wrong(`has the link "${link.slice(0, 80)}", which is no http or https address`);
  if (!isDay(expires)) throw wrong(`expires "${expires.slice(0, 40)}", which is no day`);
  return { id, reason, link, owner, expires };
}

/** Validates the text of a waivers file; throws SettingsError in one sentence. `known` are the ids there are. */
export function parseWaivers(text: string, shownName: string, known?: readonly string[]): Waiver[] {
  // Plain scalars stay text, so that a day is no time stamp; aliases, tags and a second key of one name are refused.
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: true,
    strict: true,
    stringKeys: true,
    prettyErrors: true,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined)
    throw new SettingsError(
      `${shownName} is no usable YAML (${problem.message.split('\n')[0]?.replace(/:$/, '') ?? ''}): ${mend}.`,
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new SettingsError(`${shownName} uses aliases: ${mend}.`);
  }
  const list =
    typeof value === 'object' && value !== null && 'waivers' in value && Object.keys(value).length === 1
      ? value.waivers
      : value;
  if (!Array.isArray(list)) throw new SettingsError(`${shownName} has no list of waivers: ${mend}.`);
  const waivers = list.map((entry: unknown, at) => readEntry(entry, `${shownName}, entry ${at + 1},`));
  waivers.forEach(({ id }, at) => {
    if (waivers.findIndex((one) => one.id === id) !== at)
      throw new SettingsError(
        `${shownName}, entry ${at + 1}, names ${id} a second time: expected one waiver for each requirement.`,
      );
    if (known !== undefined && !known.includes(id))
      throw new SettingsError(
        `${shownName}, entry ${at + 1}, names ${id}, which is no requirement: expected an id that "dealership-conformance list" prints.`,
      );
  });
  return waivers;
}

/** Reads a waivers file; `file` null means `./waivers.yaml` where there is one, else no waivers. Throws SettingsError. */
export function readWaivers(file: string | null, known?: readonly string[]): Waiver[] {
  const name = file ?? 'waivers.yaml';
  if (file === null && !existsSync(name)) return [];
  let text: string;
  try {
    if (statSync(name).size > mostBytes)
      throw new SettingsError(`${name} is larger than ${mostBytes / 1024} KiB: ${mend}.`);
    text = readFileSync(name, 'utf8');
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(
      `${name} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}): ${mend}.`,
    );
  }
  return parseWaivers(text, name, known);
}
