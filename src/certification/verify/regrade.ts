import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../../http/index.js';
import { readEvidence } from '../../reports/index.js';
import type { Observation, Report, Requirement, RequirementResult } from '../../requirement/index.js';
import { execute, servedDocument, type WebhookSetup, withRun } from '../../run/index.js';
import { type RawSettings, readTarget, type SettingName } from '../../settings/index.js';
import { firstSet } from '../requirement-sets.js';
import { offline } from './offline.js';
import { readRunFile } from '../bundle/read-run-file.js';
import { type ReplayClient, unansweredReason } from './replay-client.js';
import { replayOf } from './replay-run.js';
import { settingsForGrading } from '../bundle/settings-for-grading.js';

/** The verdicts of the checks over the evidence. */
export interface Regraded {
  readonly results: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  /** Requirements that are blocked for want of an answer to such a request, of their own or of another one's. */
  readonly notAsked: ReadonlySet<string>;
  /** Requirements that need a webhook secret which is not known here. */
  readonly needSecret: ReadonlySet<string>;
  /** Verdicts accepted as recorded because no webhook secret was given: `signatures` or nothing. */
  readonly takenAsRecorded: readonly string[];
  /** The served document, and the version that it names. */
  readonly served: Pick<Report['target'], 'document' | 'version'>;
  readonly exchanges: readonly Exchange[];
  readonly baseUrl: string;
}

/** The evidence of the run to grade again; `run.json` in its folder holds the rest. */
export interface RegradeParts {
  readonly evidenceDir: string;
  readonly checks: readonly Requirement[];
  /** Secrets that the one who grades knows. */
  readonly known?: RawSettings;
}

const webhookSecrets = ['SIGNING_SECRET', 'OTHER_SIGNING_SECRET'] as const;

/** Runs the checks over recorded evidence, without a network; the order of the run is kept. Throws SettingsError where the folder cannot be used. */
export async function regrade(parts: RegradeParts): Promise<Regraded> {
  const file = readRunFile(parts.evidenceDir);
  const settings = settingsForGrading(file.settings, parts.known);
  const pinned = join(parts.evidenceDir, 'contract.json');
  if (existsSync(pinned)) settings.CONTRACT = pinned;
  const exchanges: Exchange[] = [];
  for await (const exchange of readEvidence(parts.evidenceDir)) exchanges.push(exchange);
  exchanges.sort((a, b) => a.seq - b.seq);

  const hooks: WebhookSetup | null = file.embedded ? { register: () => undefined, waitSeconds: 0 } : null;
  const target = readTarget(settings, file.embedded);
  const knows = (secret: SettingName): boolean => settings[secret] === undefined || parts.known?.[secret] !== undefined;
  const evidence = replayOf(target, exchanges, parts.evidenceDir, knows);
  const { client, takenAsRecorded } = evidence;
  const { seed, nonce, depth, set = firstSet, requestBudget } = file;
  // All that was waited for is recorded.
  const options = { seed, nonce, depth, set, requestBudget, hooks, evidence, patience: 0 };
  const results: RequirementResult[] = [];
  const { observations, served } = await withRun(target, options, async (run) => {
    // A requirement that changed its place since comes where it was.
    for (const check of file.order.flatMap((id) => parts.checks.find((one) => one.id === id) ?? [])) {
      results.push(unlessUnanswered(await offline(() => execute(check, run)), client));
      client.finish(check.id);
    }
    return { observations: run.observations, served: await servedDocument(run) };
  });
  const isUnknown = webhookSecrets.some((name) => settings[name] !== undefined && parts.known?.[name] === undefined);
  const needing = parts.checks.filter(({ needs, passNeeds = [] }) =>
    [...needs, ...passNeeds].flat().some((need) => (webhookSecrets as readonly string[]).includes(need)),
  );
  const unanswered = new Set([...client.missing.values()].flat().map(unansweredReason));
  return {
    results,
    observations,
    notAsked: new Set(results.filter(({ reason }) => unanswered.has(reason)).map(({ id }) => id)),
    needSecret: new Set(isUnknown ? needing.map(({ id }) => id) : []),
    takenAsRecorded,
    served,
    exchanges,
    baseUrl: target.baseUrl,
  };
}

/** A breach seen in the evidence stands; any other verdict needs an answer to every request. */
function unlessUnanswered(result: RequirementResult, { missing }: ReplayClient): RequirementResult {
  const first = missing.get(result.id)?.[0];
  if (first === undefined || result.verdict === 'fail') return result;
  return { ...result, verdict: 'blocked', reason: unansweredReason(first) };
}
