import type { Activity, Client, Exchange, Redactor, TraceContext } from '../http/index.js';
import type { Contract } from '../openapi/index.js';
import type { Observation } from '../requirement/index.js';
import type { SettingName, Target } from '../settings/index.js';
import type { TargetState } from './target-state.js';

/** How much a run may spend: the gate's quick look, or the whole. */
export type Depth = 'gate' | 'certify';

/** How webhook deliveries reach this run. */
export interface WebhookSetup {
  /** Tells the target where to deliver a tenant's events; null where a person has to. */
  readonly register: ((tenant: 'main' | 'other', url: string) => void) | null;
  /** How long to wait for events that a person causes, in seconds. */
  readonly waitSeconds: number;
  /** Called for every event whose kind is recognised, as it arrives. */
  readonly onArrival?: (kind: string) => void;
}

/** One pass over a target: what all its checks share. */
export interface Run {
  readonly target: Target;
  readonly client: Client;
  readonly redactor: Redactor;
  /** The current activity, and the count of all requests, load included. */
  readonly activity: Activity;
  readonly seed: number;
  /** User-Agent of every request. */
  readonly userAgent: string;
  /** Random text, new in every run: marks what this run created. */
  readonly nonce: string;
  /** The trace that all its requests belong to. */
  readonly trace: TraceContext;
  readonly depth: Depth;
  /** The requirement set that the service is judged by, `YYYY-MM`. */
  readonly set: string;
  /** Share of the usual waits for what was written to be shown: 1, but in tests of services that show it at once or never. */
  readonly patience: number;
  /** The load scenario whose traffic alone is sent, or null for all of them. */
  readonly scenario: string | null;
  /** fast-check path of the one failure to replay, or null. */
  readonly path: string | null;
  /** Most requests that the property checks may spend together, or null for the depth's own budget. */
  readonly requestBudget: number | null;
  /** The command line that judges one requirement of this run again. */
  replay(id: string): string;
  readonly hooks: WebhookSetup | null;
  /** Every exchange so far, in order. */
  exchanges(): Promise<readonly Exchange[]>;
  /** Whether the target can be reached and accepts its key, looked at once, before everything else. */
  targetState(): Promise<TargetState>;
  /** The contract document, loaded once. */
  contract(): Promise<LoadedContract>;
  /** Computes something once in a run; a failure is remembered too. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  /**
   * Records a value that is no exchange (deliveries, a load trace): computed once, kept with the evidence, and read from it where the run
   * is graded again. Must survive `encodeRecorded`. `secrets` names settings with which the value follows from other recorded data: a
   * verifier that has them computes it again.
   */
  recorded<T>(name: string, make: () => Promise<T>, secrets?: readonly SettingName[]): Promise<T>;
  /** How many requests of one check may be under way where their order says nothing. */
  parallel: number;
  readonly observations: Observation[];
  /** The verdicts on limits that were driven, for pages and for deletion; null before. */
  driven: unknown;
  /** Fires when the run is called off: the check that is under way is given up and nothing more is driven. */
  readonly calledOff: AbortSignal;
  callOff(): void;
  close(): Promise<void>;
}

/** The served document, the pinned document, and the validators created from the pinned one, else from the served one. */
export interface LoadedContract {
  readonly exchange: Exchange | null;
  readonly served: Record<string, unknown> | null;
  /** Why nothing is served, in one sentence. */
  readonly problem: string | null;
  readonly pinned: Record<string, unknown> | null;
  readonly contract: Contract;
  /** Whether there is any document at all. */
  readonly present: boolean;
}
