import { join } from 'node:path';
import { renderBadge } from '../../certification/badge.js';
import { bundleNames } from '../../certification/bundle/bundle-names.js';
import { renderCertificate } from '../../certification/certificate-page.js';
import { loadReport } from '../../certification/load-report.js';
import { unsignedStatement } from '../../certification/unsigned-statement.js';
import { visible } from '../../reports/visible.js';
import { makeFolder } from '../../reports/make-folder.js';
import { writeWhole } from '../../reports/write-reports.js';
import { orSettingsError } from '../../settings/file-error.js';
import { onlyOperand, textOption, type Arguments } from '../arguments.js';

/** `badge BUNDLE|REPORT`: writes `badge.svg` and `certificate.html` into `--out`; those of a mere report say that they certify nothing. */
export async function badge(parsed: Arguments): Promise<number> {
  const file = onlyOperand(
    parsed,
    'badge takes one bundle or report: expected the file that certify --bundle wrote, or a conformance.json.',
  );
  const loaded = await loadReport(file);
  const manifest = loaded.bundle?.manifest ?? null;
  const statement = manifest ?? unsignedStatement(loaded.report, loaded.file);
  const out = textOption(parsed, 'out') ?? '.';
  const signedBy = manifest === null ? null : (loaded.bundle?.signers[0]?.fingerprint ?? null);
  orSettingsError(
    () => {
      makeFolder(out);
      writeWhole(join(out, bundleNames.badge), renderBadge(statement));
      writeWhole(join(out, bundleNames.page), renderCertificate(statement, signedBy));
    },
    (code) => `--out names ${out}, which cannot be written to (${code}): expected a folder that can be made.`,
  );
  for (const level of statement.levels)
    process.stdout.write(`${visible(`${level.name.padEnd(20)} ${level.standing.padEnd(11)} ${level.why}`)}\n`);
  if (statement.standing === 'rehearsal')
    process.stdout.write(`It certifies nothing: ${visible(statement.reasons.join('; '))}.\n`);
  process.stdout.write(`${join(out, bundleNames.badge)}\n${join(out, bundleNames.page)}\n`);
  return 0;
}
