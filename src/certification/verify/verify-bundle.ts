import type { KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { missingGenerator } from '../../openapi/index.js';
import { unpacked } from '../../reports/index.js';
import { type Catalogue, type NamedPack, packText, type Report, type Requirement } from '../../requirement/index.js';
import { catalogueDigest, type RunFile } from '../../run/index.js';
import { orSettingsError, type RawSettings, SettingsError } from '../../settings/index.js';
import { visible } from '../../visible.js';
import { version } from '../../version.js';
import { bundleNames, tracesFile } from '../bundle/bundle-names.js';
import { differencesOf, observationDifferences, type ReportDifference } from '../compare/differences.js';
import { judgeStatement } from './judge-statement.js';
import { judgedPlans } from './judged-plans.js';
import { levelsOf, type LevelState } from '../levels.js';
import type { Manifest } from '../bundle/manifest.js';
import { openBundle, type OpenedBundle, type Problem } from '../bundle/open-bundle.js';
import { parseReport } from '../read-report.js';
import { parseRunFile } from '../bundle/read-run-file.js';
import { regrade } from './regrade.js';

/** The result of a verification. `manifest` is null if nothing in the bundle can be trusted. */
export interface Verification {
  readonly problems: readonly Problem[];
  /** The verdicts of today's grading that differ from the report. */
  readonly differences: readonly ReportDifference[];
  /** Ids whose verdict could not be found again without a webhook secret. */
  readonly notGradedAgain: readonly string[];
  /** Findings of the run that need a webhook secret, so that they cannot be found here. */
  readonly takenAsRecorded: readonly string[];
  readonly manifest: Manifest | null;
  readonly signer: OpenedBundle['signer'];
  readonly report: Report | null;
  /** The verdicts of this suite for the evidence; null if it was not graded. */
  readonly today: {
    /** Whether the suite and every pack are the same as here. */
    readonly sameSuite: boolean;
    /** What made the bundle and is another here, with its version. */
    readonly others: readonly string[];
    readonly sameCatalogue: boolean;
    readonly results: Report['requirements'];
    /** Blocked here, as the evidence holds no answer to what they ask. */
    readonly notAsked: ReadonlySet<string>;
    readonly levels: readonly LevelState[];
  } | null;
}

/** Judges a bundle without a network: byte for byte, then every requirement again from its exchanges. Throws SettingsError where it needs a pack that `packs` lacks. */
export async function verifyBundle(
  archive: Buffer,
  options: {
    readonly trusted: readonly KeyObject[];
    readonly checks: readonly Requirement[];
    /** Of `checks`, where packs are among them. */
    readonly sections?: Catalogue['sections'];
    readonly packs?: readonly NamedPack[];
    readonly known?: RawSettings;
  },
): Promise<Verification> {
  const opened = openBundle(archive, options.trusted);
  const { problems, manifest, signer } = opened;
  const nothing = {
    differences: [],
    notGradedAgain: [],
    takenAsRecorded: [],
    manifest,
    signer,
    report: null,
    today: null,
  };
  if (problems.length > 0 || manifest === null) return { ...nothing, problems };
  let report: Report;
  let run: RunFile;
  try {
    const text = (name: string): string => opened.files.get(name)?.toString('utf8') ?? '';
    report = parseReport(text(bundleNames.report), bundleNames.report);
    run = parseRunFile(text(bundleNames.run), bundleNames.run);
  } catch (error) {
    return {
      ...nothing,
      problems: [{ where: 'the bundle', what: error instanceof Error ? error.message : String(error) }],
    };
  }
  assertPacks(run.packs, options.packs);
  const unfit = unfitToGrade(opened.files, run);
  if (unfit.length > 0) return { ...nothing, report, problems: unfit };
  return inScratch(opened.files, async (folder) => ({
    ...nothing,
    report,
    ...(await gradeAgain(folder, opened, manifest, report, run, options)),
  }));
}

/** Does some work with files in a folder of their own, which is gone afterwards. Throws SettingsError where none can be made. */
export async function inScratch<T>(files: OpenedBundle['files'], work: (folder: string) => Promise<T>): Promise<T> {
  const folder = orSettingsError(
    () => mkdtempSync(join(tmpdir(), 'dealership-conformance-')),
    (code) =>
      `${tmpdir()}, the folder for temporary files, cannot be written to (${code}): expected one that can; name it in TMPDIR.`,
  );
  try {
    for (const [name, bytes] of files) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws SettingsError where the packages are missing by which a document becomes types, as some requirements ask. */
export function assertGenerator(by: string): void {
  const missing = missingGenerator();
  if (missing !== null) throw new SettingsError(`${by} judges everything again, and ${missing}.`);
}

/** No code is run because a bundle names it: whoever verifies names the packs. */
function assertPacks(named: readonly NamedPack[] = [], given: readonly NamedPack[] = []): void {
  const absent = named.filter(({ name }) => !given.some((one) => one.name === name));
  if (absent.length > 0)
    throw new SettingsError(
      `This bundle was judged by ${absent.map((pack) => `the pack ${visible(packText(pack))}`).join(' and ')} as well, which is not given: expected its file or npm package in --packs.`,
    );
}

const mostEvidenceBytes = 4 * 1024 ** 3;
const mostSegmentBytes = 256 * 1024 ** 2;

/** Why a bundle of another party may not be graded here: it would read a file of this machine, or fill its memory. */
export function unfitToGrade(files: OpenedBundle['files'], run: RunFile): Problem[] {
  if (run.settings['CONTRACT'] !== undefined && !files.has(bundleNames.pinned))
    return [{ where: bundleNames.pinned, what: 'it is not there, and CONTRACT was set' }];
  let total = 0;
  for (const [name, bytes] of files) {
    try {
      total += unpacked(name, bytes, Math.min(mostSegmentBytes, mostEvidenceBytes - total)).length;
    } catch {
      return [{ where: name, what: 'it cannot be unpacked, or is larger than evidence can be' }];
    }
  }
  return [];
}

async function gradeAgain(
  folder: string,
  opened: OpenedBundle,
  manifest: Manifest,
  report: Report,
  run: RunFile,
  options: Parameters<typeof verifyBundle>[1],
): Promise<Pick<Verification, 'problems'> & Partial<Verification>> {
  // Version 0.1.0 stated a digest of its code.
  const isThisSuite = manifest.suite.version === version && manifest.suite.packed === undefined;
  const others = [
    ...(isThisSuite ? [] : [manifest.suite.version]),
    ...(run.packs ?? [])
      .filter((pack) => !options.packs?.some((one) => packText(one) === packText(pack)))
      .map((pack) => `the pack ${packText(pack)}`),
  ];
  const sameSuite = others.length === 0;
  const sameCatalogue = manifest.suite.catalogue === catalogueDigest(options.checks);
  try {
    const graded = await regrade({
      evidenceDir: join(folder, 'evidence'),
      checks: options.checks,
      ...(options.known === undefined ? {} : { known: options.known }),
    });
    const all = [
      ...differencesOf(report.requirements, graded.results),
      ...observationDifferences(report.observations, graded.observations),
    ];
    // Levels follow from the evidence and from the packs here, never from what the report says of either.
    const judged = {
      requirements: graded.results,
      sections: options.sections?.filter(({ id }) => report.sections?.some((one) => one.id === id)) ?? [],
    };
    const lacking = all.filter((one) => one.kind === 'verdict' && graded.needSecret.has(one.id)).map((one) => one.id);
    return {
      problems: judgeStatement({
        ...{ opened, manifest, report, run, graded, sameSuite, sections: options.sections, checks: options.checks },
        samePacks: (options.packs ?? []).every(({ name }) => run.packs?.some((one) => one.name === name)),
      }),
      differences: all.filter((one) => !lacking.includes(one.id)),
      notGradedAgain: lacking,
      takenAsRecorded: graded.takenAsRecorded,
      today: {
        sameSuite,
        others,
        sameCatalogue,
        results: graded.results,
        notAsked: graded.notAsked,
        levels: levelsOf(judged, options.checks, judgedPlans(opened.files.get(tracesFile))),
      },
    };
  } catch (error) {
    return {
      problems: [
        { where: 'evidence', what: `it cannot be graded: ${error instanceof Error ? error.message : String(error)}` },
      ],
    };
  }
}
