import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../requirement/index.js';
import { orSettingsError, SettingsError } from '../settings/index.js';
import { bundleNames } from './bundle/bundle-names.js';
import { openBundle, type OpenedBundle } from './bundle/open-bundle.js';
import { parseReport } from './read-report.js';

/** A report, and the bundle it came in, where it came in one. `file` is the report's or the bundle's. */
export interface LoadedReport {
  readonly report: Report;
  readonly bundle: OpenedBundle | null;
  readonly file: string;
}

const mostBytes = 1 << 30;

/** Reads a file that a person names; throws SettingsError. */
export function readNamed(file: string, what: string): Buffer {
  return orSettingsError(
    () => {
      const found = statSync(file);
      if (found.isDirectory())
        throw new SettingsError(`${file} is a folder without the expected file: expected ${what}.`);
      if (found.size > mostBytes) throw new SettingsError(`${file} is larger than 1 GiB: expected ${what}.`);
      return readFileSync(file);
    },
    (code) => `${file} cannot be read (${code}): expected ${what}.`,
  );
}

/** Loads a report from `conformance.json`, the folder that holds it, or a bundle whose bytes are as signed; throws SettingsError. */
export function loadReport(named: string): LoadedReport {
  const inside = join(named, bundleNames.report);
  const file = existsSync(inside) ? inside : named;
  const bytes = readNamed(file, 'a conformance.json, the folder with it, or a bundle');
  if (/^\s*[{[]/.test(bytes.subarray(0, 64).toString('latin1')))
    return { report: parseReport(bytes.toString('utf8'), file), bundle: null, file };
  const bundle = openBundle(bytes, []);
  const first = bundle.problems[0];
  if (first !== undefined)
    throw new SettingsError(
      `${file} is no report and no sound bundle (${first.where}: ${first.what}): expected a conformance.json or a bundle that "npx dealership-conformance verify" accepts.`,
    );
  return {
    report: parseReport(bundle.files.get(bundleNames.report)?.toString('utf8') ?? '', `${file}, ${bundleNames.report}`),
    bundle,
    file,
  };
}
