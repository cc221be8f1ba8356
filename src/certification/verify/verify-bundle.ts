import type { KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unpacked } from '../../reports/evidence/packing.js';
import { packText, type Catalogue, type NamedPack } from '../../requirement/pack.js';
import type { Requirement } from '../../requirement/requirement.js';
import type { Report } from '../../requirement/types.js';
import type { RunFile } from '../../run/run-file.js';
import { catalogueDigest } from '../../run/compose-report.js';
import { orSettingsError } from '../../settings/file-error.js';
import type { RawSettings } from '../../settings/setting-table.js';
import { SettingsError } from '../../settings/settings-error.js';
import { visible } from '../../reports/visible.js';
import { bundleNames, tracesFile } from '../bundle/bundle-names.js';
import { differencesOf, observationDifferences, type ReportDifference } from '../compare/differences.js';
import { judgeStatement } from './judge-statement.js';
import { judgedPlans } from './judged-plans.js';
import { levelsOf, type LevelState } from '../levels.js';
import type { Manifest } from '../bundle/manifest.js';
import { openBundle, type OpenedBundle, type Problem } from '../bundle/open-bundle.js';
import { parseReport } from '../read-report.js';
import { parseRunFile } from '../bundle/read-run-file.js';
import { countsOf, outcomeOf } from '../../reports/outcome.js';
import { acceptedFor, type Ruling } from '../rulings.js';
import { reasonsAgainst } from './refusals.js';
import { regrade } from './regrade.js';
import { suiteDigest } from '../suite-digest.js';

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
  readonly signers: OpenedBundle['signers'];
  readonly report: Report | null;
  /** Whether the exchanges are kept apart, so that nothing was judged again. */
  readonly isPublic: boolean;
  /** What accepted rulings make of it; null without one on this version of the suite. */
  readonly ruled: {
    readonly rulings: readonly Ruling[];
    readonly reasons: readonly string[];
    readonly levels: readonly LevelState[];
    readonly outcome: Report['outcome'];
    readonly counts: Report['counts'];
  } | null;
  /** The verdicts of this suite for the evidence; null if it was not graded. */
  readonly today: {
    /** Whether the suite and every pack are the same as here. */
    readonly sameSuite: boolean;
    /** What made the bundle and is another here, with its version. */
    readonly others: readonly string[];
    readonly sameCatalogue: boolean;
    readonly results: Report['requirements'];
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
    readonly rulings?: readonly Ruling[];
  },
): Promise<Verification> {
  const opened = await openBundle(archive, options.trusted);
  const { problems, manifest, signers } = opened;
  const nothing = {
    differences: [],
    notGradedAgain: [],
    takenAsRecorded: [],
    manifest,
    signers,
    report: null,
    isPublic: opened.withheld.length > 0,
    ruled: null,
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
  if (nothing.isPublic) return { ...nothing, report, problems };
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

/** No code is run because a bundle names it: whoever verifies names the packs. */
function assertPacks(named: readonly NamedPack[] = [], given: readonly NamedPack[] = []): void {
  const absent = named.filter(({ name }) => !given.some((one) => one.name === name));
  if (absent.length > 0)
    throw new SettingsError(
      `This bundle was judged by ${absent.map((pack) => `the pack ${visible(packText(pack))} (${pack.digest})`).join(' and ')} as well, which is not given: expected its file or npm package in --packs.`,
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
  const others = [
    ...(manifest.suite.packed === suiteDigest() ? [] : [manifest.suite.version]),
    ...(run.packs ?? [])
      .filter(({ name, digest }) => !options.packs?.some((one) => one.name === name && one.digest === digest))
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
    const levels = (exempt: readonly string[] = []): LevelState[] =>
      levelsOf(judged, judgedPlans(opened.files.get(tracesFile)), exempt);
    const lacking = all.filter((one) => one.kind === 'verdict' && graded.needSecret.has(one.id)).map((one) => one.id);
    return {
      problems: judgeStatement({
        ...{ opened, manifest, report, run, graded, sameSuite, sections: options.sections, checks: options.checks },
        samePacks: (options.packs ?? []).every(({ digest }) => run.packs?.some((one) => one.digest === digest)),
      }),
      differences: all.filter((one) => !lacking.includes(one.id)),
      notGradedAgain: lacking,
      takenAsRecorded: graded.takenAsRecorded,
      ruled: ruledOf(acceptedFor(options.rulings ?? [], manifest), report, run, levels),
      today: {
        sameSuite,
        others,
        sameCatalogue,
        results: graded.results,
        levels: levels(),
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

/** What a report is worth without the requirements that a ruling takes out; null where there is none. */
export function ruledOf(
  rulings: readonly Ruling[],
  report: Report,
  run: RunFile,
  levels: (exempt: readonly string[]) => LevelState[],
): Verification['ruled'] {
  if (rulings.length === 0) return null;
  const exempt = rulings.map(({ id }) => id);
  const counted = report.requirements.filter(({ id }) => !exempt.includes(id));
  const { outcome, counts } = { outcome: outcomeOf(counted), counts: countsOf(counted) };
  const reasons = reasonsAgainst(run, { ...report, outcome, counts });
  return { rulings, reasons, levels: levels(exempt), outcome, counts };
}
