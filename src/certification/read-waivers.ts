import { existsSync } from 'node:fs';
import { SettingsError } from '../settings/index.js';
import { parseYaml, readSmallFile } from './yaml-file.js';

/** A failure that is known and accepted until a day. */
export interface Waiver {
  readonly id: string;
  readonly reason: string;
  readonly link?: string;
  readonly owner?: string;
  /** The fingerprint of the one finding that is accepted; without it the whole requirement is. */
  readonly finding?: string;
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly expires: string;
}

const required = ['id', 'reason', 'expires'] as const;
const optional = ['link', 'owner', 'finding'] as const;
const fix =
  'expected "waivers:" with a list of entries that each have id, reason and expires (YYYY-MM-DD), and may have owner, link and finding';

function isDay(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
  );
}

function readEntry(value: unknown, place: string): Waiver {
  const wrong = (what: string): SettingsError => new SettingsError(`${place} ${what}: ${fix}.`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is no entry');
  const entry = value as Record<string, unknown>;
  const unknown = Object.keys(entry).find((name) => !([...required, ...optional] as readonly string[]).includes(name));
  if (unknown !== undefined) throw wrong(`has "${unknown.slice(0, 40)}", which is not understood`);
  const text = (name: (typeof required)[number] | (typeof optional)[number]): string => {
    const found = entry[name];
    if (typeof found !== 'string' || found.trim() === '') throw wrong(`has no ${name}`);
    return found.trim();
  };
  const missing = required.filter((name) => entry[name] === undefined);
  if (missing.length > 0) throw wrong(`has no ${missing.join(' and no ')}`);
  const [id, reason, expires] = [text('id'), text('reason'), text('expires')];
  const more = Object.fromEntries(
    optional.filter((name) => entry[name] !== undefined).map((name) => [name, text(name)]),
  ) as Pick<Waiver, (typeof optional)[number]>;
  const { link, finding } = more;
  if (!/^[A-Z]+-\d+$/.test(id)) throw wrong(`names "${id.slice(0, 40)}", which is no requirement's id`);
  if (link !== undefined && (!URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol)))
    throw wrong(`has the link "${link.slice(0, 80)}", which is no http or https address`);
  if (!isDay(expires)) throw wrong(`expires "${expires.slice(0, 40)}", which is no day`);
  if (finding !== undefined && /^([0-9a-f]{12}|[0-9a-f]{16})$/.test(finding))
    throw new SettingsError(
      `${place} names the finding ${finding} as an earlier version did: write there the fingerprint that a new report has for it.`,
    );
  if (finding !== undefined && !/^[0-9a-f]{20}$/.test(finding))
    throw wrong(`names the finding "${finding.slice(0, 40)}", which is no fingerprint of 20 hex digits`);
  return { id, reason, expires, ...more };
}

/** Validates the text of a waivers file; throws SettingsError in one sentence. `known` are the ids there are. */
export function parseWaivers(text: string, shownName: string, known?: readonly string[]): Waiver[] {
  const value = parseYaml(text, shownName, fix);
  const list =
    typeof value === 'object' && value !== null && 'waivers' in value && Object.keys(value).length === 1
      ? value.waivers
      : value;
  if (!Array.isArray(list)) throw new SettingsError(`${shownName} has no list of waivers: ${fix}.`);
  const waivers = list.map((entry: unknown, at) => readEntry(entry, `${shownName}, entry ${at + 1},`));
  waivers.forEach(({ id, finding }, at) => {
    if (waivers.findIndex((one) => one.id === id && one.finding === finding) !== at)
      throw new SettingsError(
        `${shownName}, entry ${at + 1}, names ${id}${finding === undefined ? '' : ` ${finding}`} a second time: expected one waiver for each requirement or finding.`,
      );
    if (known !== undefined && !known.includes(id))
      throw new SettingsError(
        `${shownName}, entry ${at + 1}, names ${id}, which is no requirement: expected an id that "npx dealership-conformance list" prints.`,
      );
  });
  return waivers;
}

/** Reads a waivers file; `file` null means `./waivers.yaml` where there is one, else no waivers. Throws SettingsError. */
export function readWaivers(file: string | null, known?: readonly string[]): Waiver[] {
  const name = file ?? 'waivers.yaml';
  if (file === null && !existsSync(name)) return [];
  return parseWaivers(readSmallFile(name, fix), name, known);
}
