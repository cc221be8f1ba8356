import { flagOf, type SettingName } from './setting-table.js';

/** What lets a run judge more: settings to set or to unset, a command to run, or packages to install. */
export interface Remedy {
  readonly act: 'set' | 'unset' | 'run' | 'install';
  readonly names: readonly string[];
}

/** The remedy of setting these. */
export function toSet(...names: SettingName[]): Remedy {
  return { act: 'set', names };
}

/** `set API_KEY, TENANT`, `run certify`, `npm install typescript@5`. */
export function remedyText({ act, names }: Remedy): string {
  return act === 'install' ? `npm install ${names.join(' ')}` : `${act} ${names.join(', ')}`;
}

/** A reason with its remedy, and what follows that: `no tenant is configured: set TENANT (or --tenant)`. */
export function withRemedy(reason: string, remedy: Remedy | undefined, rest = ''): string {
  if (remedy === undefined) return reason;
  const names = remedy.names.map((name) => (remedy.act === 'set' ? `${name} (or ${flagOf(name)})` : name));
  return `${reason}: ${remedyText({ ...remedy, names })}${rest}`;
}
