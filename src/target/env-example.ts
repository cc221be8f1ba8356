import { settingTable } from './setting-table.js';
import type { SettingEntry } from './setting-table.js';

/** The text of `.env.example`: every setting with what it means, none set. */
export function envExample(): string {
  const entries: readonly SettingEntry[] = settingTable;
  const blocks = entries.map(
    ({ name, about, fallback, secret }) =>
      `# ${about}${fallback === undefined ? '' : ` Default: ${fallback}`}${secret ? ' Secret.' : ''}\n${name}=\n`,
  );
  return `# Copy to .env and fill in what applies. Environment variables win over this file, flags win over both.\n\n${blocks.join('\n')}`;
}
