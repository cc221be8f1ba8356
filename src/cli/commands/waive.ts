import { existsSync, readFileSync } from 'node:fs';
import { isMap, parseDocument, type YAMLSeq } from 'yaml';
import { loadReport, parseWaivers, readWaivers, type Waiver } from '../../certification/index.js';
import { unknownName, writeOutput, writeWhole } from '../../settings/index.js';
import { looks } from '../../reports/index.js';
import type { RequirementResult } from '../../requirement/index.js';
import type { Arguments } from '../arguments.js';

/** The failed requirements that `--only` names; throws SettingsError if it names others. */
function selectFailed(
  all: readonly RequirementResult[],
  failed: readonly RequirementResult[],
  only: string | undefined,
): readonly RequirementResult[] {
  if (only === undefined) return failed;
  const names = only.split(',').map((name) => name.trim().toUpperCase());
  for (const name of names.filter((one) => !failed.some(({ id, section }) => id === one || section === one))) {
    const result = all.find(({ id }) => id === name);
    const is =
      result !== undefined
        ? `did not fail in this report (${looks[result.verdict].word})`
        : `is ${all.some(({ section }) => section === name) ? 'a section in which nothing failed' : 'not'} in this report`;
    const ids = failed.map(({ id }) => id).join(', ');
    throw unknownName('--only', name, `a requirement that failed or was blocked, which are ${ids || 'nothing'}`, is);
  }
  return failed.filter(({ id, section }) => names.includes(id) || names.includes(section));
}

/** `waive REPORT`: adds a waiver for each failure of a report to the waivers file, in place of an earlier one for the same. */
export function waive(parsed: Arguments): number {
  const [named = ''] = parsed.operands;
  const { reason = '', expires = '' } = parsed.options;
  const { report } = loadReport(named);
  const failed = selectFailed(
    report.requirements,
    report.requirements.filter(({ verdict }) => ['fail', 'blocked', 'waived'].includes(verdict)),
    parsed.options.only,
  );
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
