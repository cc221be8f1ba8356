import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../http/exchange.js';
import { readEvidence } from '../report/evidence-reader.js';
import type { CollectedCheck } from '../requirement/collector.js';
import { mergeResults } from '../requirement/merge.js';
import type { Observation, RequirementResult } from '../requirement/types.js';
import { documentDigest } from '../run/compose-report.js';
import { execute } from '../run/execute.js';
import { inOrder } from '../run/run-checks.js';
import type { Depth, HookWiring } from '../run/run.js';
import { readTarget } from '../target/read-target.js';
import type { RawSettings } from '../target/setting-table.js';
import type { Target } from '../target/target.js';
import { offline } from './offline.js';
import { readRunFile } from './read-run-file.js';
import { unanswered } from './replay-client.js';
import { openReplayRun, recordedIn } from './replay-run.js';
import type { ReplayRun } from './replay-run.js';
import { settingsForGrading } from './secret-shape.js';

/** What the evidence says when the checks are run over it. */
export interface Regraded {
  readonly results: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  /** Requests that the evidence holds no answer to, by requirement. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
  /** Requirements of the sections whose checks read a webhook secret that is not known here. */
  readonly needSecret: ReadonlySet<string>;
  /** What was taken as the run found it, for want of a webhook secret: `signatures` or nothing. */
  readonly takenAsRecorded: readonly string[];
  readonly document: string | null;
  readonly exchanges: readonly Exchange[];
}

/** Where a run is graded again from. Everything but the checks and the folder is read from its `run.json` unless it is given. */
export interface RegradeParts {
  readonly evidenceDir: string;
  readonly checks: readonly CollectedCheck[];
  /** Settings as recorded; secret ones as `[set]`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly seed?: number;
  readonly nonce?: string;
  readonly depth?: Depth;
  readonly requestBudget?: number | null;
  readonly embedded?: boolean;
  /** Ids in the order in which they were judged. */
  readonly order?: readonly string[];
  /** Secrets that the one who grades knows. */
  readonly known?: RawSettings;
}

/** The checks of the recorded ids in the recorded order; one that changed its place since comes where it was. */
function inRecordedOrder(checks: readonly CollectedCheck[], order: readonly string[]): CollectedCheck[] {
  const usual = inOrder(checks.filter((check) => order.includes(check.id)));
  if (usual.every((check, at) => check.id === order[at])) return usual;
  return usual.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

/** The target with a note of who reads a webhook secret that is but a stand-in. */
function noting(target: Target, known: RawSettings, note: () => void): Target {
  const noted = { ...target };
  const secrets = [
    ['signingSecret', known.SIGNING_SECRET],
    ['otherSigningSecret', known.OTHER_SIGNING_SECRET],
  ] as const;
  for (const [name, given] of secrets) {
    const value = target[name];
    if (value === null || given !== undefined) continue;
    Object.defineProperty(noted, name, {
      enumerable: true,
      get() {
        note();
        return value;
      },
    });
  }
  return Object.freeze(noted);
}

/** Runs the checks over recorded evidence, without a network; the order of the run is kept. Throws SettingsError where the folder cannot be used. */
export async function regrade(parts: RegradeParts): Promise<Regraded> {
  const given =
    parts.settings !== undefined &&
    parts.seed !== undefined &&
    parts.nonce !== undefined &&
    parts.depth !== undefined &&
    parts.order !== undefined;
  const file = given ? null : readRunFile(parts.evidenceDir);
  const embedded = parts.embedded ?? file?.embedded ?? false;
  const settings = settingsForGrading(parts.settings ?? file?.settings ?? {}, parts.known);
  const pinned = join(parts.evidenceDir, 'contract.json');
  if (existsSync(pinned)) settings.CONTRACT = pinned;
  const exchanges: Exchange[] = [];
  for await (const exchange of readEvidence(parts.evidenceDir)) exchanges.push(exchange);
  exchanges.sort((a, b) => a.seq - b.seq);

  const readBy = new Set<string>();
  let at: string | null = null;
  const plain = readTarget(settings, embedded);
  const hooks: HookWiring | null = embedded ? { register: () => undefined, waitSeconds: 0 } : null;
  const run = openReplayRun({
    target: noting(plain, parts.known ?? {}, () => at !== null && readBy.add(at)),
    exchanges,
    seed: parts.seed ?? file?.seed ?? 0,
    nonce: parts.nonce ?? file?.nonce ?? '',
    depth: parts.depth ?? file?.depth ?? 'certify',
    requestBudget: parts.requestBudget !== undefined ? parts.requestBudget : (file?.requestBudget ?? null),
    hooks,
    recorded: recordedIn(parts.evidenceDir),
    knows: (secret) => settings[secret] === undefined || parts.known?.[secret] !== undefined,
  });
  const results: RequirementResult[] = [];
  for (const check of inRecordedOrder(parts.checks, parts.order ?? file?.order ?? [])) {
    at = check.section;
    results.push(unlessUnanswered(await offline(() => execute(check, run)), run));
    run.client.finish(check.id);
  }
  at = null;
  const needSecret = new Set(results.filter((result) => readBy.has(result.section)).map((result) => result.id));
  const document = await documentDigest(run);
  return {
    results: mergeResults(results),
    observations: run.observations,
    missing: run.client.missing,
    needSecret,
    takenAsRecorded: run.takenAsRecorded,
    document,
    exchanges,
  };
}

/** A breach seen in the evidence stands; any other verdict needs an answer to every request. */
function unlessUnanswered(result: RequirementResult, run: ReplayRun): RequirementResult {
  const first = run.client.missing.get(result.id)?.[0];
  if (first === undefined || result.verdict === 'fail') return result;
  return { ...result, verdict: 'blocked', reason: `${unanswered} ${first}` };
}
