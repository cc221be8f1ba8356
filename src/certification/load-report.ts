import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type InputFile, readInput, wrongFile } from '../settings/index.js';
import { bundleNames } from './bundle/bundle-names.js';
import { openBundle } from './bundle/open-bundle.js';
import { parseReport } from './read-report.js';

/** Loads a report from `conformance.json`, the folder that holds it, or a bundle whose bytes are as signed; `file` is the report's or the bundle's. Throws SettingsError. */
export function loadReport(named: string, by?: string) {
  const inside = join(named, bundleNames.report);
  const file = existsSync(inside) ? inside : named;
  const input: InputFile = {
    file,
    ...(by === undefined ? {} : { by }),
    expected: 'a conformance.json, the folder with it, or a bundle that "npx dealership-conformance verify" accepts',
  };
  const bytes = readInput(input);
  if (/^\s*[{[]/.test(bytes.subarray(0, 64).toString('latin1')))
    return { report: parseReport(bytes.toString('utf8'), input), isBundle: false, file };
  const bundle = openBundle(bytes, []);
  const first = bundle.problems[0];
  if (first !== undefined) throw wrongFile(input, `is no report and no sound bundle (${first.where}: ${first.what})`);
  return {
    report: parseReport(bundle.files.get(bundleNames.report)?.toString('utf8') ?? '', `${file}, ${bundleNames.report}`),
    isBundle: true,
    file,
  };
}
