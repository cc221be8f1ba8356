import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../../http/index.js';
import { readEvidence } from '../../reports/index.js';
import type { Observation, Requirement, RequirementResult } from '../../requirement/index.js';
import { documentDigest, execute, type WebhookSetup } from '../../run/index.js';
import { type RawSettings, readTarget, type Target } from '../../settings/index.js';
import { offline } from './offline.js';
import { readRunFile } from '../bundle/read-run-file.js';
import { unansweredReason } from './replay-client.js';
import { openReplayRun, type ReplayRun } from './replay-run.js';
import { settingsForGrading } from '../bundle/settings-for-grading.js';

/** The verdicts of the checks over the evidence. */
export interface Regraded {
  readonly results: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  /** Requests that the evidence holds no answer to, by requirement. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
  /** Requirements that are blocked for want of an answer to such a request, of their own or of another one's. */
  readonly notAsked: ReadonlySet<string>;
  /** Requirements of the sections whose checks read a webhook secret that is not known here. */
  readonly needSecret: ReadonlySet<string>;
  /** Verdicts accepted as recorded because no webhook secret was given: `signatures` or nothing. */
  readonly takenAsRecorded: readonly string[];
  readonly document: string | null;
  readonly exchanges: readonly Exchange[];
  readonly run: ReplayRun;
}

/** The evidence of the run to grade again; `run.json` in its folder holds the rest. */
export interface RegradeParts {
  readonly evidenceDir: string;
  readonly checks: readonly Requirement[];
  /** Secrets that the one who grades knows. */
  readonly known?: RawSettings;
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
  const file = readRunFile(parts.evidenceDir);
  const settings = settingsForGrading(file.settings, parts.known);
  const pinned = join(parts.evidenceDir, 'contract.json');
  if (existsSync(pinned)) settings.CONTRACT = pinned;
  const exchanges: Exchange[] = [];
  for await (const exchange of readEvidence(parts.evidenceDir)) exchanges.push(exchange);
  exchanges.sort((a, b) => a.seq - b.seq);

  const readBy = new Set<string>();
  let at: string | null = null;
  const plain = readTarget(settings, file.embedded);
  const hooks: WebhookSetup | null = file.embedded ? { register: () => undefined, waitSeconds: 0 } : null;
  const run = openReplayRun({
    ...file,
    target: noting(plain, parts.known ?? {}, () => at !== null && readBy.add(at)),
    exchanges,
    hooks,
    evidenceDir: parts.evidenceDir,
    knows: (secret) => settings[secret] === undefined || parts.known?.[secret] !== undefined,
  });
  const results: RequirementResult[] = [];
  // A requirement that changed its place since comes where it was.
  for (const check of file.order.flatMap((id) => parts.checks.find((one) => one.id === id) ?? [])) {
    at = check.section;
    results.push(unlessUnanswered(await offline(() => execute(check, run)), run));
    run.client.finish(check.id);
  }
  at = null;
  const needSecret = new Set(results.filter((result) => readBy.has(result.section)).map((result) => result.id));
  const unanswered = new Set([...run.client.missing.values()].flat().map(unansweredReason));
  const document = await documentDigest(run);
  return {
    results,
    observations: run.observations,
    missing: run.client.missing,
    notAsked: new Set(results.filter(({ reason }) => unanswered.has(reason)).map(({ id }) => id)),
    needSecret,
    takenAsRecorded: run.takenAsRecorded,
    document,
    exchanges,
    run,
  };
}

/** A breach seen in the evidence stands; any other verdict needs an answer to every request. */
function unlessUnanswered(result: RequirementResult, run: ReplayRun): RequirementResult {
  const first = run.client.missing.get(result.id)?.[0];
  if (first === undefined || result.verdict === 'fail') return result;
  return { ...result, verdict: 'blocked', reason: unansweredReason(first) };
}
