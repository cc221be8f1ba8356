import { setAside } from './certification/index.js';
import { openTarget } from './embedded/index.js';
import { judge, type ReporterName } from './judge-target.js';
import { loadPacks } from './packs.js';
import { type AnswerChange, type ReferenceOptions, startReference } from './reference/index.js';
import type { Reporter } from './reports/index.js';
import { type Pack, type Report, select } from './requirement/index.js';
import { type Depth, readPinned, rerunInvocation } from './run/index.js';
import { type RawSettings, type SettingName, SettingsError } from './settings/index.js';

export { startReference };
export type { Reference, ReferenceAnswer, ReferenceRequest } from './reference/index.js';
export {
  type CatalogueEntry,
  type CheckBody,
  defineRequirement,
  type Finding,
  type Level,
  type Observation,
  type Requirement,
  type RequirementDefinition,
  type RequirementResult,
  type Section,
  type Verdict,
} from './requirement/index.js';
export { SettingsError };
export type { AnswerChange, Depth, Pack, ReferenceOptions, Report, Reporter, ReporterName };
export type { Exchange } from './http/index.js';
export type { RunPlan } from './reports/index.js';
export type { Breach, Check, RequestOptions } from './run/index.js';
export type { KeyName, Limit, LimitModel } from './settings/index.js';

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
  readPinned(opened.target);
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
