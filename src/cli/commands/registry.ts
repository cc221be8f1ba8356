import { assertGenerator } from '../../certification/index.js';
import { loadPacks } from '../../packs.js';
import {
  checkSubmission,
  openRepository,
  readRegistry,
  rowsAsMarkdown,
  rowsAsText,
  writeRepository,
  writeSite,
} from '../../registry/index.js';
import type { Arguments } from '../arguments.js';
import { writeStepSummary } from '../step-summary.js';
import { knownSecrets } from './verify.js';

/** Nothing is read from the checkout but commits: no `.env`, and packs are only those of the flag. */
async function check(parsed: Arguments, folder: string, base: string): Promise<number> {
  assertGenerator('registry check');
  const { requirements, ...catalogue } = await loadPacks(parsed.settings.PACKS);
  const rows = await checkSubmission({
    repository: openRepository(folder),
    base,
    verification: {
      ...catalogue,
      checks: requirements,
      known: knownSecrets(parsed.settings),
    },
    now: new Date(),
  });
  process.stdout.write(parsed.options.json ? `${JSON.stringify(rows, null, 2)}\n` : rowsAsText(rows));
  writeStepSummary({ text: rowsAsMarkdown(rows) });
  return rows.every(({ ok }) => ok) ? 0 : 1;
}

function build(parsed: Arguments, folder: string): number {
  const [out, now] = [parsed.options.out ?? 'site', new Date()];
  const registry = readRegistry(folder, now);
  writeSite(registry, out, now);
  for (const { name, status } of registry.certificates) process.stdout.write(`${status.padEnd(12)} ${name}\n`);
  process.stdout.write(`${out}\n`);
  return 0;
}

/** `registry init DIR | check DIR REF | build DIR`: a repository in which a certifier collects and publishes certificates. */
export async function registry(parsed: Arguments): Promise<number> {
  const [what, folder = '', base = ''] = parsed.operands;
  if (what === 'check') return check(parsed, folder, base);
  if (what === 'init') {
    writeRepository(folder);
    process.stdout.write(
      `${folder} is written: fill in programme.yaml, .github/CODEOWNERS and POLICY.md. README.md says what comes next.\n`,
    );
    return 0;
  }
  return build(parsed, folder);
}
