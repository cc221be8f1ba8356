import { readProduct } from '../../certification/product.js';
import { missingGenerator } from '../../openapi/client/generate-client.js';
import { loadPacks } from '../../packs.js';
import { checkSubmission } from '../../registry/check.js';
import { writeRepository } from '../../registry/init.js';
import { issueNonce } from '../../registry/nonce.js';
import { openRepository } from '../../registry/repository.js';
import { rowsAsMarkdown, rowsAsText } from '../../registry/rows.js';
import { readRegistry } from '../../registry/site/certificates.js';
import { writeSite } from '../../registry/site/write-site.js';
import { SettingsError } from '../../settings/settings-error.js';
import { textOption, type Arguments } from '../arguments.js';
import { writeStepSummary } from '../step-summary.js';
import { knownSecrets } from './verify.js';

const shortestSecret = 16;

/** The certifier's secret, from the environment alone; null where it is not set. */
function nonceSecret(): string | null {
  const secret = process.env['REGISTRY_NONCE_SECRET'] ?? '';
  if (secret !== '' && secret.length < shortestSecret)
    throw new SettingsError(
      `REGISTRY_NONCE_SECRET is shorter than ${shortestSecret} characters: expected one that nobody can guess, such as "openssl rand -hex 32" makes.`,
    );
  return secret === '' ? null : secret;
}

const mostWaitMs = 600_000;

/** The content at an https address, or why there is none. */
async function download(url: string, mostBytes: number): Promise<Buffer | string> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(mostWaitMs) });
    if (!reply.ok) return `answered ${reply.status}`;
    if (!reply.url.startsWith('https:')) return 'leads to an address without https';
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of (reply.body ?? []) as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > mostBytes) return 'is larger than a bundle can be';
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch {
    return 'gave no whole answer';
  }
}

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
    secret: nonceSecret(),
    download,
  });
  process.stdout.write(parsed.options['json'] === true ? `${JSON.stringify(rows, null, 2)}\n` : rowsAsText(rows));
  writeStepSummary({ text: rowsAsMarkdown(rows) });
  return rows.some(({ ok }) => ok === false) ? 1 : 0;
}

async function build(parsed: Arguments): Promise<number> {
  const [out, given] = [textOption(parsed, 'out') ?? 'site', textOption(parsed, 'now')];
  const now = given === null ? new Date() : new Date(given);
  if (Number.isNaN(now.getTime()))
    throw new SettingsError('--now is no instant: expected one such as 2027-01-31T03:00:00Z.');
  const registry = await readRegistry(textOption(parsed, 'registry') ?? '.', now);
  writeSite(registry, out, now);
  for (const { name, status } of registry.certificates) process.stdout.write(`${status.padEnd(12)} ${name}\n`);
  process.stdout.write(`${out}\n`);
  return 0;
}

function nonce(parsed: Arguments): number {
  const [file, secret] = [textOption(parsed, 'product'), nonceSecret()];
  const month = textOption(parsed, 'month') ?? new Date().toISOString().slice(0, 7);
  if (file === null)
    throw new SettingsError('registry nonce needs --product: expected the product.yaml that the vendor sent.');
  if (secret === null)
    throw new SettingsError(
      'registry nonce needs REGISTRY_NONCE_SECRET in the environment: expected the secret of the programme; "openssl rand -hex 32" makes one.',
    );
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
    throw new SettingsError(`--month is "${month.slice(0, 40)}": expected one such as 2027-01.`);
  process.stdout.write(`${issueNonce(secret, readProduct(file).product, month)}\n`);
  return 0;
}

/** `registry init DIR | check --base REF | build | nonce --product FILE`: a repository in which a certifier collects and publishes certificates. */
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
  if (folder === undefined && what === 'nonce') return nonce(parsed);
  throw new SettingsError('registry takes one action: expected init DIR, check, build or nonce.');
}
