import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { idsToRerun } from '../certification/ids-to-rerun.js';
import { loadReport } from '../certification/load-report.js';
import { readRunFile } from '../certification/read-run-file.js';
import { settingTable } from '../target/setting-table.js';
import type { RawSettings } from '../target/setting-table.js';
import { SettingsError } from '../target/settings-error.js';
import { textOption } from './arguments.js';
import type { Arguments } from './arguments.js';
import { certify } from './certify.js';
import { readSettings } from './read-settings.js';

/** The command line that runs again what `report` left open: settings given now win over those of the run, secrets always come from now. */
export async function rerunArguments(
  parsed: Arguments,
): Promise<{ readonly again: Arguments; readonly depth: 'gate' | 'certify' } | null> {
  const [named, ...more] = parsed.operands;
  if (named === undefined || more.length > 0)
    throw new SettingsError('rerun takes one report: expected a conformance.json or the folder with it.');
  const { report, file, bundle } = await loadReport(named);
  const { ids, seed } = idsToRerun(report);
  if (ids.length === 0) return null;
  const evidence = join(dirname(file), 'evidence');
  const run = bundle === null && existsSync(join(evidence, 'run.json')) ? readRunFile(evidence) : null;
  const current = readSettings(parsed.settings);
  const settings: RawSettings = { ...parsed.settings };
  if (!report.target.embedded) {
    for (const { name, ...entry } of settingTable) {
      const before = run?.settings[name];
      if (before !== undefined && current[name] === undefined && !('secret' in entry)) settings[name] = before;
    }
    if (current.BASE_URL === undefined) settings.BASE_URL = report.target.baseUrl;
  } else if (current.BASE_URL !== undefined) {
    throw new SettingsError(
      `${file} is of the embedded reference service, and BASE_URL is set: expected no BASE_URL, so that the same service is judged again.`,
    );
  }
  settings.SEED = String(seed);
  const out = textOption(parsed, 'out') ?? join(dirname(file), 'rerun');
  const requests =
    textOption(parsed, 'requests') ?? (run?.requestBudget == null ? undefined : String(run.requestBudget));
  const options = {
    ...parsed.options,
    embedded: report.target.embedded,
    only: ids.join(','),
    out,
    ...(requests === undefined ? {} : { requests }),
  };
  return { again: { command: 'certify', operands: [], settings, options }, depth: run?.depth ?? 'certify' };
}

/** `rerun REPORT`: judges again only what failed or could not be judged, with the same seed. */
export async function rerun(parsed: Arguments): Promise<number> {
  const due = await rerunArguments(parsed);
  if (due !== null) return certify(due.again, due.depth);
  process.stdout.write('Nothing in this report failed or was left unjudged: there is nothing to run again.\n');
  return 0;
}
