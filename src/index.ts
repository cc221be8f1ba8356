import { setAside } from './certification/compare/earlier-report.js';
import { openTarget } from './embedded/open-target.js';
import { judge, type ReporterName } from './judge-target.js';
import { loadPacks } from './packs.js';
import type { AnswerChange } from './reference/change-answers.js';
import { startReference, type ReferenceOptions } from './reference/start-reference.js';
import type { Reporter } from './reports/reporter.js';
import type { Pack } from './requirement/pack.js';
import { select } from './requirement/select.js';
import type { Report } from './requirement/types.js';
import { readPinned } from './run/load-contract.js';
import { rerunInvocation } from './run/replay.js';
import type { Depth } from './run/run.js';
import { SettingsError } from './settings/settings-error.js';
import type { RawSettings, SettingName } from './settings/setting-table.js';

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
  /** How many requirements are judged at the same time; 1 by default; in a gate 3, and 12 where every answer takes 10 ms or more (40 ms on loopback). */
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
