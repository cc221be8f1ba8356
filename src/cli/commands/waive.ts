import { existsSync, readFileSync } from 'node:fs';
import { isMap, parseDocument, type YAMLSeq } from 'yaml';
import { loadReport, parseWaivers, readWaivers, type Waiver } from '../../certification/index.js';
import { writeOutput, writeWhole } from '../../settings/index.js';
import { select } from '../../requirement/index.js';
import type { Arguments } from '../arguments.js';

/** `waive REPORT`: adds a waiver for each failure of a report to the waivers file, in place of an earlier one for the same. */
export function waive(parsed: Arguments): number {
  const [named = ''] = parsed.operands;
  const { reason = '', expires = '' } = parsed.options;
  const { report } = loadReport(named);
  const all = report.requirements.filter(({ verdict }) => ['fail', 'blocked', 'waived'].includes(verdict));
  const ids = all.map(({ id }) => id).join(', ');
  const expected = `a requirement that failed or was blocked, which are ${ids || 'nothing'}`;
  const failed = select(all, parsed.options.only ?? null, '--only', expected);
  if (failed.length === 0) {
    process.stdout.write('Nothing in this report failed or was blocked: there is nothing to waive.\n');
    return 0;
  }
  const added = failed.map(({ id }): Waiver => ({ id, reason, expires }));
  parseWaivers(JSON.stringify(added), 'the new waiver');
  const file = parsed.options.waivers ?? 'waivers.yaml';
  const known = existsSync(file) ? readWaivers(file) : [];
  // The document keeps the comments of the people who share the file.
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : 'waivers:\n  []\n');
  const list = (isMap(document.contents) ? document.get('waivers') : document.contents) as YAMLSeq;
  list.flow = false;
  list.items = list.items.filter((_, at) => {
    const { id, finding } = known[at] ?? {};
    return finding !== undefined || !added.some((one) => one.id === id);
  });
  const kept = list.items.length;
  for (const waiver of added) list.add(document.createNode(waiver));
  writeOutput('--waivers', file, 'file', () => writeWhole(file, document.toString({ lineWidth: 0 })));
  process.stdout.write(
    `${file}: ${added.length} added or renewed, ${kept} kept. "npx dealership-conformance gate" reads it.\n`,
  );
  return 0;
}
