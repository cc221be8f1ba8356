import { loadPacks } from '../../packs.js';
import { select, specificationStatements } from '../../requirement/index.js';
import type { Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';
import { jsonOf } from './explain.js';

/** `list`: every requirement, or every statement of the specification, one a line or as JSON. */
export async function list({ settings, options }: Arguments): Promise<number> {
  const { requirements } = await loadPacks(readSettings(settings).PACKS);
  const entries = select(requirements, options.only ?? null);
  const sorted = [...entries].sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const stated = specificationStatements().filter(
    ({ ids }) => options.only === undefined || entries.some(({ id }) => ids.includes(id)),
  );
  const [shown, lines, end] = options.statements
    ? [
        stated,
        stated.map(({ section, says, ids, untested }) => `${section}: ${says}  (${untested ?? ids.join(', ')})`),
        `${stated.length} statements, ${stated.filter(({ untested }) => untested === null).length} of them tested`,
      ]
    : [
        sorted.map(jsonOf),
        sorted.map(({ id, level, title, source }) => `${id.padEnd(9)} ${level.padEnd(9)} ${title}  (${source})`),
        `${sorted.length} ${sorted.length === 1 ? 'requirement' : 'requirements'}; "npx dealership-conformance explain ID" tells more of one.`,
      ];
  process.stdout.write(options.json ? `${JSON.stringify(shown, null, 2)}\n` : `${lines.join('\n')}\n\n${end}\n`);
  return 0;
}
