import { settingTable, type SettingEntry } from './setting-table.js';

/** The text of `.env.example`, and of the `.env` that `init` writes: every setting with what it means, none set. */
export function envExample(): string {
  const entries: readonly SettingEntry[] = settingTable;
  const blocks = entries.map(
    ({ name, about, fallback, secret }) =>
      `# ${about}${fallback === undefined ? '' : ` Default: ${fallback}`}${secret ? ' Secret.' : ''}\n${name}=\n`,
  );
  return `# Settings of dealership-conformance, read from .env: fill in what applies. Environment variables win over .env, flags over both.\n\n${blocks.join('\n')}`;
}
