import type { Counterevidence } from './counterevidence.js';
import type { ModelName } from './models/model.js';

/** The result of one model for a trace. */
export interface ModelVerdict {
  readonly name: ModelName;
  /** Whether it could have produced the trace. */
  readonly admitted: boolean;
  /** The first thing that it cannot explain, in one sentence. */
  readonly reason: string | null;
  readonly counterevidence: readonly Counterevidence[];
  /** It explains the refusals only if refused requests count as well. */
  readonly needsRefusalsCounted: boolean;
  /** It explains the acceptances of the burst limit only with windows aligned to the clock. */
  readonly needsClock: boolean;
  /** It explains the acceptances only as a bucket refilled by a slow timer. */
  readonly needsTimer: boolean;
  /** Refill interval in milliseconds, where this model is a bucket refilled in steps; else null. */
  readonly tickMs: number | null;
}
