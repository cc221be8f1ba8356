import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadReport, readRunFile } from '../../certification/index.js';
import { type RawSettings, SettingsError, settingTable } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import type { Options } from '../command-table.js';
import { judgeTarget } from './judge-target.js';
import { readSettings } from '../read-settings.js';

/**
 * The command line that repeats the failed and blocked requirements of a report, or those in `--only`. Flags override the settings of the
 * run; the environment only adds missing settings. Secrets always come from the current settings.
 */
export function rerunArguments(
  parsed: Arguments,
): { readonly again: Arguments; readonly depth: 'gate' | 'certify' } | null {
  const [named = ''] = parsed.operands;
  const { report, file, isBundle } = loadReport(named);
  const { only = null } = parsed.options;
  const ids = report.requirements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'blocked' || verdict === 'error' || verdict === 'waived')
    .map(({ id }) => id);
  if (ids.length === 0 && only === null) return null;
  const evidence = join(dirname(file), 'evidence');
  const run = !isBundle && existsSync(join(evidence, 'run.json')) ? readRunFile(evidence) : null;
  const current = readSettings(parsed.settings);
  const settings: RawSettings = { ...parsed.settings };
  if (!report.target.embedded) {
    for (const { name, ...entry } of settingTable) {
      const before = run?.settings[name];
      const isWhole = !('secret' in entry) && before?.includes('[redacted:') === false;
      if (isWhole && settings[name] === undefined) settings[name] = before;
    }
    settings.BASE_URL ??= report.target.baseUrl;
  } else if (current.BASE_URL !== undefined) {
    throw new SettingsError(
      `${file} is of the embedded reference service, and BASE_URL is set: expected no BASE_URL, so that the same service is judged again.`,
    );
  }
  settings.SEED = String(report.seed);
  const folder = only === null ? 'rerun' : `replay-${only.toUpperCase().replace(/[^A-Z0-9]+/g, '-')}`;
  const out = parsed.options.out ?? join(dirname(file), folder);
  const requests = parsed.options.requests ?? run?.requestBudget ?? undefined;
  const set = run?.set ?? report.suite.set;
  const options: Options = {
    ...parsed.options,
    ...(set === undefined ? {} : { set }),
    ...(report.target.embedded ? { embedded: true } : {}),
    only: only ?? ids.join(','),
    out,
    ...(requests === undefined ? {} : { requests }),
  };
  return { again: { command: 'certify', operands: [], settings, options }, depth: run?.depth ?? 'certify' };
}

/** `rerun REPORT`: judges again what failed or could not be judged, or what `--only` names, with the same seed. */
export async function rerun(parsed: Arguments): Promise<number> {
  const due = rerunArguments(parsed);
  if (due !== null) return judgeTarget(due.again, due.depth);
  process.stdout.write('Nothing in this report failed or was left unjudged: there is nothing to run again.\n');
  return 0;
}
