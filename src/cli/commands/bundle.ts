import { splitBundle } from '../../certification/bundle/public-bundle.js';
import { loadReport } from '../../certification/load-report.js';
import { writeWhole } from '../../reports/write-reports.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { textOption, type Arguments } from '../arguments.js';
import { readBundle } from './verify.js';

/** `bundle BUNDLE --public FILE --private FILE`: splits a bundle into one to publish and one with the exchanges, which the vendor keeps. */
export async function bundle(parsed: Arguments): Promise<number> {
  const { file, archive } = readBundle(parsed);
  const [openFile, keptFile] = [textOption(parsed, 'public'), textOption(parsed, 'private')];
  if (openFile === null || keptFile === null || openFile === keptFile)
    throw new SettingsError('bundle needs --public FILE and --private FILE: expected the names of two files to write.');
  // Refuses a bundle that is not as it was signed.
  await loadReport(file);
  const { open, kept } = await splitBundle(archive);
  for (const [name, bytes] of [
    [openFile, open],
    [keptFile, kept],
  ] as const)
    orSettingsError(
      () => writeWhole(name, bytes),
      (code) => `${name} cannot be written (${code}): expected a file in a folder that is there.`,
    );
  process.stdout.write(
    `${openFile}  to publish: verdicts, certificate and signature, without requests and answers\n` +
      `${keptFile}  to keep: requests and answers. With both, verify --private ${keptFile} judges everything again.\n`,
  );
  return 0;
}
