import type { CatalogueEntry, Report, RequirementResult } from '../requirement/index.js';
import type { SinceBaseline } from './judged.js';

/** The facts about a run before it judges the first requirement. */
export interface RunPlan {
  /** Root of the service under test. */
  readonly baseUrl: string;
  /** Whether that is the embedded reference service. */
  readonly embedded: boolean;
  readonly seed: number;
  /** In the order in which they are judged. */
  readonly requirements: readonly CatalogueEntry[];
  /** The sections of reports, in their order. */
  readonly sections: NonNullable<Report['sections']>;
  /** Whether little can be judged, as the service is away, or most keys or the document are missing: a few lines then say all. */
  readonly isBrief: boolean;
}

/**
 * Receives the progress of a run; every method is optional. The run awaits the promises of `begin` and `end`; an error thrown by any method
 * ends the run.
 */
export interface Reporter {
  /** Once, before the first requirement. */
  begin?(plan: RunPlan): void | Promise<void>;
  /** Before each requirement. */
  starting?(requirement: CatalogueEntry): void;
  /** After each requirement; in an interrupted run the one under way has none. */
  result?(result: RequirementResult): void;
  /** Once, after everything, also where the run was interrupted; with what changed since the baseline, where one is given. */
  end?(report: Report, since: SinceBaseline | null): void | Promise<void>;
}
