import { missingGenerator } from '../../openapi/client/generate-client.js';
import { loadPacks } from '../../packs.js';
import { checkSubmission } from '../../registry/check.js';
import { writeRepository } from '../../registry/init.js';
import { openRepository } from '../../registry/repository.js';
import { rowsAsMarkdown, rowsAsText } from '../../registry/rows.js';
import { readRegistry } from '../../registry/site/certificates.js';
import { writeSite } from '../../registry/site/write-site.js';
import { SettingsError } from '../../settings/settings-error.js';
import { textOption, type Arguments } from '../arguments.js';
import { writeStepSummary } from '../step-summary.js';
import { knownSecrets } from './verify.js';

/** Nothing is read from the checkout but commits: no `.env`, and packs are only those of the flag. */
async function check(parsed: Arguments): Promise<number> {
  const base = textOption(parsed, 'base');
  if (base === null)
    throw new SettingsError(
      'registry check needs --base: expected the branch that the submission is for, such as origin/main.',
    );
  const missing = missingGenerator();
  if (missing !== null) throw new SettingsError(`registry check judges everything again, and ${missing}.`);
  const { requirements, ...catalogue } = await loadPacks(parsed.settings.PACKS);
  const rows = await checkSubmission({
    repository: openRepository(textOption(parsed, 'registry') ?? '.'),
    base,
    verification: {
      ...catalogue,
      checks: requirements,
      known: knownSecrets(parsed.settings),
    },
    now: new Date(),
  });
  process.stdout.write(parsed.options['json'] === true ? `${JSON.stringify(rows, null, 2)}\n` : rowsAsText(rows));
  writeStepSummary({ text: rowsAsMarkdown(rows) });
  return rows.some(({ ok }) => ok === false) ? 1 : 0;
}

function build(parsed: Arguments): number {
  const [out, given] = [textOption(parsed, 'out') ?? 'site', textOption(parsed, 'now')];
  const now = given === null ? new Date() : new Date(given);
  if (Number.isNaN(now.getTime()))
    throw new SettingsError('--now is no instant: expected one such as 2027-01-31T03:00:00Z.');
  const registry = readRegistry(textOption(parsed, 'registry') ?? '.', now);
  writeSite(registry, out, now);
  for (const { name, status } of registry.certificates) process.stdout.write(`${status.padEnd(12)} ${name}\n`);
  process.stdout.write(`${out}\n`);
  return 0;
}

/** `registry init DIR | check --base REF | build`: a repository in which a certifier collects and publishes certificates. */
export async function registry(parsed: Arguments): Promise<number> {
  const [what, folder, ...more] = parsed.operands;
  if (what === 'init' && folder !== undefined && more.length === 0) {
    writeRepository(folder);
    process.stdout.write(
      `${folder} is written: fill in programme.yaml, .github/CODEOWNERS and POLICY.md. README.md says what comes next.\n`,
    );
    return 0;
  }
  if (folder === undefined && what === 'check') return check(parsed);
  if (folder === undefined && what === 'build') return build(parsed);
  throw new SettingsError('registry takes one action: expected init DIR, check or build.');
}
