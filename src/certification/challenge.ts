import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { explainSource } from '../requirement/explain-source.js';
import type { Requirement } from '../requirement/requirement.js';
import type { RequirementResult } from '../requirement/types.js';
import { orSettingsError } from '../settings/file-error.js';
import { SettingsError } from '../settings/settings-error.js';
import { decodeJson } from '../http/decode-body.js';
import { asObject } from '../openapi/values.js';
import { packArchive, unpackArchive, type ArchiveFile } from './bundle/archive.js';
import { bundleNames, mayHold } from './bundle/bundle-names.js';
import { parseRunFile } from './bundle/read-run-file.js';
import { parseReport } from './read-report.js';
import { suiteDigest } from './suite-digest.js';
import { regrade } from './verify/regrade.js';
import { inScratch, unfitToGrade } from './verify/verify-bundle.js';

const claimName = 'challenge.json';

/** What a challenge disputes: one verdict of one run. */
export interface Challenge {
  readonly format: 'dealership-conformance-challenge/1';
  readonly id: string;
  readonly title: string;
  readonly level: string;
  /** The sections of the specification, in words. */
  readonly source: string;
  readonly suite: { readonly version: string; readonly packed: string };
  readonly target: string;
  readonly started: string;
  readonly seed: number;
  readonly verdict: string;
  readonly reason: string;
  readonly findings: RequirementResult['findings'];
  /** Why the one who challenges thinks that it is wrong. */
  readonly dispute: string;
}

/** Packs the verdict on a requirement in a report folder, and the evidence that it follows from, into one archive. Throws SettingsError. */
export async function packChallenge(id: string, folder: string, dispute: string): Promise<Buffer> {
  const expected = 'expected the folder of a finished run, with conformance.json and evidence';
  const read = (name: string): ArchiveFile =>
    orSettingsError(
      () => ({ name, bytes: readFileSync(join(folder, name)) }),
      (code) => `${join(folder, name)} cannot be read (${code}): ${expected}.`,
    );
  const report = read(bundleNames.report);
  const { suite, target, started, seed, requirements } = parseReport(report.bytes.toString('utf8'), report.name);
  const result = requirements.find((one) => one.id === id);
  if (result === undefined)
    throw new SettingsError(
      `${join(folder, report.name)} has no verdict on ${id}: expected a requirement that was judged.`,
    );
  const evidence = join(folder, 'evidence');
  if (!existsSync(evidence)) throw new SettingsError(`${evidence} is not there: ${expected}.`);
  const { title, level, source, verdict, reason, findings } = result;
  const challenge: Challenge = {
    format: 'dealership-conformance-challenge/1',
    ...{ id, title, level, source: explainSource(source) },
    suite: { version: suite.version, packed: suiteDigest() },
    ...{ target: target.baseUrl, started, seed, verdict, reason, findings, dispute },
  };
  const names = readdirSync(evidence).map((name) => `evidence/${name}`);
  return packArchive([
    { name: claimName, bytes: Buffer.from(`${JSON.stringify(challenge, null, 2)}\n`) },
    ...names.filter(mayHold).sort().map(read),
  ]);
}

/** Whether a value is what `packChallenge` writes, as far as it is used. */
function isChallenge(value: unknown): value is Challenge {
  const { format, id, verdict, suite, findings } = asObject(value) ?? {};
  return (
    format === 'dealership-conformance-challenge/1' &&
    typeof id === 'string' &&
    typeof verdict === 'string' &&
    asObject(suite) !== null &&
    Array.isArray(findings) &&
    findings.every((one) => Array.isArray(asObject(one)?.['exchanges']))
  );
}

/** What the evidence of a challenge gives with this suite; `found` is null where it no longer has the requirement. */
export interface Replayed {
  readonly challenge: Challenge;
  readonly sameSuite: boolean;
  readonly found: RequirementResult | null;
}

/** Judges the requirement of a challenge again, offline. Throws SettingsError where the archive is no challenge. */
export async function replayChallenge(
  archive: Buffer,
  name: string,
  checks: readonly Requirement[],
): Promise<Replayed> {
  const wrong = (what: string): SettingsError =>
    new SettingsError(`${name} ${what}: expected the file that the command challenge wrote.`);
  const list = await unpackArchive(archive).catch(() => {
    throw wrong('is no challenge');
  });
  const files = new Map(list.map((one) => [one.name, one.bytes]));
  const challenge = decodeJson(files.get(claimName)?.toString('utf8') ?? '');
  if (!isChallenge(challenge)) throw wrong('is no challenge');
  files.delete(claimName);
  const stray = [...files.keys()].find((one) => !mayHold(one));
  if (stray !== undefined) throw wrong(`holds ${JSON.stringify(stray.slice(0, 80))}`);
  const run = parseRunFile(files.get(bundleNames.run)?.toString('utf8') ?? '', `${name}, ${bundleNames.run}`);
  const [unfit] = unfitToGrade(files, run);
  if (unfit !== undefined) throw wrong(`cannot be judged (${unfit.where}: ${unfit.what})`);
  const { results } = await inScratch(files, (folder) =>
    regrade({ evidenceDir: join(folder, 'evidence'), checks }),
  ).catch((error: unknown) => {
    throw error instanceof SettingsError ? error : wrong('cannot be judged (its evidence is no record of exchanges)');
  });
  return {
    challenge,
    sameSuite: challenge.suite.packed === suiteDigest(),
    found: results.find((one) => one.id === challenge.id) ?? null,
  };
}
