import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '../../http/index.js';
import { readEvidence, renderHtml, shownExchanges, unpacked } from '../../reports/index.js';
import {
  type RawSettings,
  readInput,
  secretsIn,
  SettingsError,
  writeOutput,
  writeWhole,
  wrongFile,
} from '../../settings/index.js';
import { packArchive, type ArchiveFile } from './archive.js';
import { renderBadge } from '../badge.js';
import { bundleNames, mayHold, tracesFile } from './bundle-names.js';
import { renderCertificate } from '../certificate-page.js';
import { validUntil, type Policy } from '../policy.js';
import type { readProduct } from '../product.js';
import { judgedPlans } from '../verify/judged-plans.js';
import { fingerprint } from './keys.js';
import { digestOf, statementOf, type Manifest, type ManifestParts } from './manifest.js';
import { parseRunFile } from './read-run-file.js';
import { parseReport } from '../read-report.js';
import { signManifest } from './signature.js';

/** Input of a bundle: the reports and evidence in `out`, and the settings of the run, whose secrets must not appear in it. */
export interface BundleParts {
  readonly out: string;
  readonly file: string;
  readonly privateKey: KeyObject;
  readonly nonce: string | null;
  readonly allowIncomplete: boolean;
  readonly checks: ManifestParts['checks'];
  /** What `product.yaml` says. */
  readonly product?: ReturnType<typeof readProduct>;
  /** The policy that says how long the certificate counts. */
  readonly policy?: Policy;
  readonly settings: RawSettings;
}

const ofFinishedRun = 'the reports and evidence of a finished run';

/** The reports, the evidence, and the load pages of the plans that this run tested; the folder may hold pages of earlier runs. */
function gather(out: string): Map<string, Buffer> {
  const traces = join(out, tracesFile);
  const pages = judgedPlans(existsSync(traces) ? readFileSync(traces) : undefined)
    .map((plan) => `load/${plan}.html`)
    .filter((name) => existsSync(join(out, name)));
  const evidence = existsSync(join(out, 'evidence')) ? readdirSync(join(out, 'evidence')).sort() : [];
  const { report, junit } = bundleNames;
  const names = [
    report,
    junit,
    ...evidence.map((name) => `evidence/${name}`).filter((name) => name !== bundleNames.pinned),
    ...pages,
  ].filter(mayHold);
  return new Map(names.map((name) => [name, readInput({ file: join(out, name), expected: ofFinishedRun })]));
}

async function firstSent(out: string): Promise<number | null> {
  for await (const exchange of readEvidence(join(out, 'evidence'))) return exchange.sentAtMs;
  return null;
}

/** Shorter secrets cannot be told from ordinary text. */
const shortestSecret = 8;

/** Lists the configured secrets found in files, in any usual encoding, and those too short to distinguish from ordinary text; one sentence each. */
function findSecrets(files: readonly ArchiveFile[], settings: RawSettings): string[] {
  const set = secretsIn(settings);
  const said = set
    .filter(([, value]) => value.length < shortestSecret)
    .map(
      ([name]) => `${name} is shorter than ${shortestSecret} characters, so it cannot be kept out of what is written`,
    );
  for (const [name, value] of set) {
    if (value.length < shortestSecret) continue;
    const redactor = createRedactor([[name, value]]);
    for (const file of files) {
      const bytes = unpacked(file.name, file.bytes);
      if (!redactor.bytes(bytes).equals(bytes)) said.push(`the value of ${name} is in ${file.name}`);
    }
  }
  return said;
}

/** Writes and signs the bundle of a run, and its certificate and badge beside the reports; throws SettingsError where the run is no certification, unless `allowIncomplete` marks it a rehearsal. */
export async function writeBundle(parts: BundleParts): Promise<Manifest> {
  const { out, file, settings } = parts;
  const files = gather(out);
  const textOf = (name: string): string => {
    const found = files.get(name);
    if (found === undefined) throw wrongFile({ file: join(out, name), expected: ofFinishedRun }, 'is missing');
    return found.toString('utf8');
  };
  const run = parseRunFile(textOf(bundleNames.run), join(out, bundleNames.run));
  const report = parseReport(textOf(bundleNames.report), join(out, bundleNames.report));
  // The page of the run may compare it with an earlier one, which a bundle does not hold.
  files.set(bundleNames.reportPage, Buffer.from(renderHtml(report, await shownExchanges(out, report))));
  if (parts.product !== undefined) files.set(bundleNames.product, parts.product.bytes);
  if (settings.CONTRACT !== undefined) files.set(bundleNames.pinned, readFileSync(settings.CONTRACT));
  const statement = statementOf({
    run,
    report,
    checks: parts.checks,
    files,
    nonce: parts.nonce,
    firstSentAtMs: await firstSent(out),
    validUntil: parts.policy === undefined ? null : validUntil(parts.policy, run.started),
  });
  const refusal = (reasons: readonly string[], expected: string): SettingsError =>
    new SettingsError(`no bundle is written: ${reasons.join('; ')}; expected ${expected}.`);
  if (statement.standing === 'rehearsal' && !parts.allowIncomplete)
    throw refusal(statement.reasons, 'a whole, passed run (--allow-incomplete writes one that is marked a rehearsal)');
  const by = fingerprint(parts.privateKey);
  const shown = [
    { name: bundleNames.page, bytes: Buffer.from(renderCertificate(statement, by)) },
    { name: bundleNames.badge, bytes: Buffer.from(renderBadge(statement)) },
  ];
  const named = [...shown, ...Array.from(files, ([name, bytes]) => ({ name, bytes }))];
  const leaks = findSecrets(named, settings);
  if (leaks.length > 0) throw refusal(leaks, 'no secret in anything that is handed over');
  const manifest: Manifest = {
    ...statement,
    files: Object.fromEntries(
      named.map(({ name, bytes }) => [name, { bytes: bytes.length, sha256: digestOf(bytes).slice('sha256:'.length) }]),
    ),
  };
  const manifestBytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const signed = signManifest(manifestBytes, parts.privateKey);
  const archive = packArchive([
    { name: bundleNames.manifest, bytes: manifestBytes },
    { name: bundleNames.signature, bytes: signed },
    ...named,
  ]);
  for (const { name, bytes } of shown) writeWhole(join(out, name), bytes);
  writeOutput('--bundle', file, 'file', () => writeWhole(file, archive));
  return manifest;
}
