import { setAside } from './certification/compare/earlier-report.js';
import { openTarget } from './embedded/open-target.js';
import { judge, type ReporterName } from './judge.js';
import { loadPacks } from './packs.js';
import type { AnswerChange } from './reference/change-answers.js';
import { startReference, type ReferenceOptions } from './reference/start-reference.js';
import type { Reporter } from './reports/reporter.js';
import type { Pack } from './requirement/pack.js';
import { select } from './requirement/select.js';
import type { Report, RequirementResult } from './requirement/types.js';
import { readPinned } from './run/load-contract.js';
import { rerunInvocation } from './run/replay.js';
import type { Depth } from './run/run.js';
import { SettingsError } from './settings/settings-error.js';
import type { RawSettings, SettingName } from './settings/setting-table.js';

export { judgeLimits } from './ratelimit/judge-limits.js';
export type { JudgeLimitsOptions, LimitedRequest, LimitsJudgement } from './ratelimit/judge-limits.js';
export { startReference };
export type { ReferenceAnswer, ReferenceRequest } from './reference/change-answers.js';
export type { Reference } from './reference/start-reference.js';
export { defineRequirement } from './requirement/requirement.js';
export { SettingsError };
export type { AnswerChange, Depth, Pack, ReferenceOptions, Report, Reporter, ReporterName };
export type { Exchange } from './http/exchange.js';
export type { RunPlan } from './reports/reporter.js';
export type { Section } from './requirement/pack.js';
export type { CatalogueEntry, CheckBody, Requirement, RequirementDefinition } from './requirement/requirement.js';
export type { Finding, Level, Observation, RequirementResult, Verdict } from './requirement/types.js';
export type { Breach, Check } from './run/check.js';
export type { RequestOptions } from './run/request-options.js';
export type { KeyName, LimitModel } from './settings/target.js';
export type { Limit } from './settings/limits.js';

/** Settings by name, such as `BASE_URL` and `API_KEY`: those of `.env.example`. */
export type Settings = Readonly<Partial<Record<SettingName, string | undefined>>>;

/** The service to judge, the depth, and the reporters. */
export interface RunOptions {
  /** `BASE_URL` must be among them. Neither the environment nor `.env` is read. */
  readonly settings: Settings;
  /** `gate` leaves out what waits for limit windows and takes seconds; `certify`, the default, takes minutes. */
  readonly depth?: Depth;
  /** Ids or sections, such as `UNIT-03` and `DEAL`; everything by default. */
  readonly only?: readonly string[];
  /** A whole number from 0 to 4294967295 that repeats what is random; `SEED` of the settings or a new one by default. */
  readonly seed?: number;
  /** Ends the run early: what was not judged by then is blocked, and the report says so. */
  readonly signal?: AbortSignal;
  /** How many requirements are judged at the same time; 1 by default, and 8 in a gate of a service whose answers take 10 ms or more over a network. */
  readonly concurrency?: number;
  /** Reporters, own ones or built-in ones by their names; none by default. */
  readonly reporters?: readonly (Reporter | ReporterName)[];
  /** The folder for `json`, `junit` and `html`, and for the exchanges of the run; by default nothing is written, or `reports` where one of these is named. */
  readonly out?: string;
  /** Packs to judge after the suite's own requirements and after those that the setting `PACKS` names. */
  readonly packs?: readonly Pack[];
}

/**
 * Judges a service and returns the report. A service that does not conform is a result, no error.
 *
 * Throws {@link SettingsError}, with one sentence, where a setting, an id or a pack is wrong, `BASE_URL` leads nowhere, or the service
 * accepts no key; and whatever a reporter throws.
 */
export async function run(options: RunOptions): Promise<Report> {
  const { depth = 'certify', only, seed, signal, concurrency, reporters = [], packs = [] } = options;
  const settings = Object.fromEntries(Object.entries(options.settings).filter(([, value]) => value)) as RawSettings;
  if (settings.BASE_URL === undefined)
    throw new SettingsError('BASE_URL is missing: expected the root of the service under test.');
  const names = only === undefined ? null : only.join(',');
  const catalogue = await loadPacks(settings.PACKS, packs);
  const selected = select(catalogue.requirements, names, 'only');
  const opened = await openTarget(seed === undefined ? settings : { ...settings, SEED: String(seed) });
  await readPinned(opened.target);
  const out = options.out ?? (reporters.some((one) => typeof one === 'string' && one !== 'console') ? 'reports' : null);
  if (out !== null) setAside(out);
  const invocation = rerunInvocation(out ?? 'reports', { flags: settings });
  const judging = { catalogue, selected, reporters, out, only: names, run: { depth, invocation } };
  const { report } = await judge(opened, {
    ...judging,
    ...(signal === undefined ? {} : { signal }),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  return report;
}

/** A deliberate breach of one requirement of a pack. */
export interface PackFault {
  readonly id: string;
  /** The requirement that must find it. */
  readonly requirement: string;
  readonly description: string;
  /** Changes the answers of a conforming service. */
  readonly change: AnswerChange;
  /** Ids of other requirements that it cannot help breaking. */
  readonly also?: readonly string[];
}

/** What a pack is proven with. */
export interface PackProof {
  readonly pack: Pack;
  readonly faults: readonly PackFault[];
  /** Conforming services by name, as {@link startReference} starts them; faults are added to the first. The reference service as it is by default. */
  readonly conforming?: Readonly<Record<string, Pick<ReferenceOptions, 'variant' | 'change'>>>;
  /** Ids or sections of the suite that are judged as well; all that a gate judges by default. */
  readonly only?: readonly string[];
}

/** One part of a proof: a conforming service, a fault by its id, or whether each requirement has a fault. */
export interface Proven {
  readonly name: string;
  /** One sentence each; none where it is as it must be. */
  readonly problems: readonly string[];
}

/**
 * Proves the requirements of a pack, a line after the other: each conforming service meets the pack and the suite, and each fault breaks its
 * requirement (a `SHOULD` warns) and nothing else.
 */
export async function* provePack(proof: PackProof): AsyncGenerator<Proven, void> {
  const { pack, faults, conforming = { 'the reference service': {} } } = proof;
  const ids = pack.requirements.map(({ id }) => id);
  const unbroken = ids.filter((id) => !faults.some(({ requirement }) => requirement === id));
  yield { name: 'a fault for each requirement', problems: unbroken.map((id) => `${id} has no fault`) };
  const isOwn = ({ id }: RequirementResult): boolean => ids.includes(id);
  const say = ({ id, verdict, reason }: RequirementResult): string => `${id} is ${verdict}: ${reason}`;
  const isBad = (one: RequirementResult): boolean =>
    ['fail', 'error', 'blocked'].includes(one.verdict) || (one.verdict === 'warn' && isOwn(one));
  for (const [name, service] of Object.entries(conforming))
    yield { name, problems: (await judgeReference(proof, service)).filter(isBad).map(say) };
  const [base = {}] = Object.values(conforming);
  for (const { id, requirement, also = [], change } of faults) {
    const both: AnswerChange = (...args) => {
      base.change?.(...args);
      change(...args);
    };
    const results = await judgeReference(proof, { ...base, change: both });
    const due = results.find((one) => one.id === requirement);
    const isSoft = due?.level === 'SHOULD' || due?.level === 'OBSERVE';
    const missed =
      due?.verdict === (isSoft ? 'warn' : 'fail') ? [] : [`not found: ${due ? say(due) : `no ${requirement}`}`];
    const others = results.filter((one) => one !== due && !also.includes(one.id) && isBad(one));
    yield { name: id, problems: [...missed, ...others.map((one) => `broken as well: ${say(one)}`)] };
  }
}

/** The pack at the depth `certify`, and the suite as a gate judges it. */
async function judgeReference({ pack, only }: PackProof, options: ReferenceOptions): Promise<RequirementResult[]> {
  const reference = await startReference(options);
  try {
    const shared = { settings: reference.settings, seed: 1 };
    const own = await run({ ...shared, only: pack.sections.map(({ id }) => id), packs: [pack] });
    const suite = await run({ ...shared, depth: 'gate', ...(only === undefined ? {} : { only }) });
    return [...own.requirements, ...suite.requirements];
  } finally {
    await reference.close();
  }
}
