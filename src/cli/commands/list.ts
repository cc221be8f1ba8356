import { loadPacks } from '../../packs.js';
import { select } from '../../requirement/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

/** `list`: every requirement, one a line or as JSON. */
export async function list(parsed: Arguments): Promise<number> {
  const { requirements } = await loadPacks(readSettings(parsed.settings).PACKS);
  const entries = select(requirements, parsed.options.only ?? null);
  const sorted = [...entries].sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  if (parsed.options.json) {
    const shown = sorted.map(({ id, section, level, title, source, writes, slow, rows = [], invariants = [] }) => {
      const rules = [...rows, ...invariants].map(({ says }) => says);
      return { id, section, level, title, source, writes, slow, rules };
    });
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }
  for (const { id, level, title, source } of sorted)
    process.stdout.write(`${id.padEnd(9)} ${level.padEnd(9)} ${title}  (${source})\n`);
  process.stdout.write(
    `\n${sorted.length} ${sorted.length === 1 ? 'requirement' : 'requirements'}; "npx dealership-conformance explain ID" tells more of one.\n`,
  );
  return 0;
}
