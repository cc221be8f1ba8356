import { existsSync } from 'node:fs';
import { packChallenge, replayChallenge } from '../../certification/challenge.js';
import { readNamed } from '../../certification/load-report.js';
import { missingGenerator } from '../../openapi/client/generate-client.js';
import { loadPacks } from '../../packs.js';
import { visible } from '../../reports/visible.js';
import { writeWhole } from '../../reports/write-reports.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { onlyOperand, textOption, type Arguments } from '../arguments.js';
import { readSettings } from '../read-settings.js';

/** `challenge ID --report DIR`: packs a disputed verdict. `challenge FILE`: judges it again, offline; 0 if the evidence gives the same verdict, else 1, or 3 if nothing can be said. */
export async function challenge(parsed: Arguments): Promise<number> {
  const named = onlyOperand(
    parsed,
    'challenge takes one id with --report, such as UNIT-05, or one file that it wrote before.',
  );
  const report = textOption(parsed, 'report');
  if (report === null) return replay(parsed, named);
  if (!/^[A-Z]+-\d+$/.test(named))
    throw new SettingsError(`"${named}" is no id of a requirement: expected one such as UNIT-05.`);
  const reason = textOption(parsed, 'reason');
  if (reason === null)
    throw new SettingsError('challenge needs --reason: expected what the verdict contradicts, in a sentence.');
  const file = textOption(parsed, 'out') ?? `${named}.challenge`;
  const packed = await packChallenge(named, report, reason);
  orSettingsError(
    () => writeWhole(file, packed),
    (code) => `--out names ${file}, which cannot be written (${code}): expected a file in a folder that is there.`,
  );
  process.stdout.write(
    `${file}: with it anybody judges ${named} again: npx dealership-conformance challenge ${file}\n`,
  );
  return 0;
}

async function replay(parsed: Arguments, file: string): Promise<number> {
  if (!existsSync(file) && /^[A-Z]+-\d+$/.test(file))
    throw new SettingsError(`challenge ${file} needs --report: expected the folder of the run whose verdict is wrong.`);
  const missing = missingGenerator();
  if (missing !== null) throw new SettingsError(`challenge judges again, and ${missing}.`);
  const { requirements } = await loadPacks(readSettings(parsed.settings).PACKS);
  const archive = readNamed(file, 'the file that the command challenge wrote');
  const { challenge: said, found, sameSuite } = await replayChallenge(archive, file, requirements);
  const isSame = found?.verdict === said.verdict;
  const lines = [
    `${said.id}  ${said.title} (${said.level})`,
    `Source       ${said.source}`,
    `Run          ${said.target}, ${said.started}, seed ${said.seed}, suite ${said.suite.version}${sameSuite ? '' : '; this is another build'}`,
    `Verdict      ${said.verdict}: ${said.reason}`,
    ...said.findings.map((one) => `             exchanges ${one.exchanges.join(', ')}: ${one.curl ?? 'no request'}`),
    `Dispute      ${said.dispute}`,
    found === null
      ? 'Again        this suite has no such requirement'
      : `Again        ${isSame ? 'the same verdict' : found.verdict}: ${found.reason}`,
  ];
  process.stdout.write(lines.map((line) => `${visible(line).slice(0, 2_000)}\n`).join(''));
  if (found === null || found.verdict === 'blocked' || found.verdict === 'error') return 3;
  return isSame ? 0 : 1;
}
