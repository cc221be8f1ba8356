import { basename, join } from 'node:path';
import { attestationsOf, grantsTimeStamp, timeStampRequest } from '../../certification/attestations.js';
import { readPrivateKey, readPublicKey } from '../../certification/bundle/keys.js';
import { describeVerification, statusOf } from '../../certification/verify/describe-verification.js';
import { makeFolder } from '../../reports/make-folder.js';
import { writeWhole } from '../../reports/write-reports.js';
import { orSettingsError } from '../../settings/file-error.js';
import { SettingsError } from '../../settings/settings-error.js';
import { listOption, textOption, type Arguments } from '../arguments.js';
import { readBundle, verifyAs } from './verify.js';

const mostWaitMs = 30_000;

async function timeStamp(url: string, archive: Buffer): Promise<Buffer> {
  const expected = 'expected the address of a time stamp authority (RFC 3161)';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new SettingsError(`--timestamp is no http or https address: ${expected}.`);
  let response: Buffer;
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query' },
      body: new Uint8Array(timeStampRequest(archive)),
      signal: AbortSignal.timeout(mostWaitMs),
    });
    response = Buffer.from(await reply.arrayBuffer());
  } catch {
    throw new SettingsError(`--timestamp names ${new URL(url).host}, which gave no answer: ${expected}.`);
  }
  if (!grantsTimeStamp(response, archive))
    throw new SettingsError(`--timestamp names ${new URL(url).host}, which granted no time stamp: ${expected}.`);
  return response;
}

/**
 * `attest BUNDLE --key PRIVATE`: verifies a bundle, and writes what it says as in-toto attestations, and a time stamp where one is asked for.
 * The exit status of the verification; nothing is written unless it is 0.
 */
export async function attest(parsed: Arguments): Promise<number> {
  const key = textOption(parsed, 'key');
  if (key === null) throw new SettingsError('attest needs --key: expected the private key that signs.');
  const privateKey = readPrivateKey(key);
  const { file, archive } = readBundle(parsed);
  const found = await verifyAs(
    parsed,
    archive,
    listOption(parsed, 'signer').map((one) => readPublicKey(one, '--signer')),
  );
  const { manifest, report, today } = found;
  const status = statusOf(found);
  if (status !== 0 || manifest === null || report === null || today === null) {
    process.stdout.write(describeVerification(found, false));
    process.stderr.write(`${file} is not attested: expected a bundle that verify accepts.\n`);
    return status;
  }
  const name = basename(file);
  const levels = found.ruled?.levels ?? today.levels;
  const parts = { name, report: { ...report, requirements: today.results }, manifest, levels, key: privateKey };
  const files = new Map<string, string | Buffer>(attestationsOf(archive, parts));
  const authority = textOption(parsed, 'timestamp');
  if (authority !== null) files.set(`${name}.tsr`, await timeStamp(authority, archive));
  const out = textOption(parsed, 'out') ?? '.';
  orSettingsError(
    () => {
      makeFolder(out);
      for (const [one, content] of files) writeWhole(join(out, one), content);
    },
    (code) => `--out names ${out}, which cannot be written to (${code}): expected a folder that can be made.`,
  );
  process.stdout.write([...files.keys()].map((one) => `${join(out, one)}\n`).join(''));
  return 0;
}
