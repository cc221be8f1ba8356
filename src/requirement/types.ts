import type { Remedy } from '../settings/index.js';

/** The origin of an obligation. It decides whether a breach fails, warns or is only recorded. */
export type Level = 'MUST' | 'DECLARED' | 'SHOULD' | 'OBSERVE';

/** The verdict of one requirement after a run. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'not-applicable' | 'blocked' | 'error' | 'waived';

/** Where a breach shows: what was asked and answered last. Each part is absent where there is none. */
export interface Place {
  /** `GET /api/v1/units/{id}`. */
  readonly operation?: string;
  /** The setting that holds the key. */
  readonly as?: string;
  /** How the request went, unless as usual: `at API_BASE_URL`. */
  readonly way?: string;
  /** The part of the document or of the answer. */
  readonly field?: string;
  readonly status?: number;
  /** The body of a refusal, cut to 200 characters. */
  readonly refusal?: string;
  /** The answer is no JSON. */
  readonly noJson?: true;
}

/** One breach, with all that a reader needs to reproduce it. */
export interface Finding {
  /** The kind of breach within its requirement, the same in every version: `no-list`; absent in reports of earlier versions. */
  readonly code?: string;
  readonly expected: string;
  readonly actual: string;
  /** Absent in reports of earlier versions. */
  readonly place?: Place;
  /** The shortest request that shows it, as a curl line with secrets replaced by variables. */
  readonly curl?: string;
  /** The command that replays it. */
  readonly replay?: string;
  /** Names of the exchanges in the evidence. */
  readonly exchanges: readonly string[];
  /** The answer that shows it, and where: a header, or a JSON Pointer into the body; its status, where neither is named. Absent where no one place does. */
  readonly part?: { readonly exchange: string; readonly header?: string; readonly pointer?: string };
  /** The page that shows it, beside the report: `load/independent.html`. */
  readonly page?: string;
  /** The same for the same breach in every run; absent in reports of earlier versions. */
  readonly fingerprint?: string;
}

/** An answer to something that the specification leaves open. */
export interface Observation {
  readonly id: string;
  readonly question: string;
  readonly observed: string;
  /** What goes with it and differs from run to run: ids, times, numbers of requests. */
  readonly detail?: string;
  /** What would let it be judged, where `observed` says that it was not. */
  readonly remedy?: Remedy;
}

/** The verdict on one requirement, computed once; every report renders this. */
export interface RequirementResult {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly title: string;
  readonly source: string;
  readonly verdict: Verdict;
  /** One sentence: what was expected, what was seen. */
  readonly reason: string;
  /** What would let it be judged; absent in reports of earlier versions. */
  readonly remedy?: Remedy;
  /** It is blocked only as `--require` asks for it. */
  readonly required?: true;
  readonly findings: readonly Finding[];
  readonly requests: number;
  /** How long its check took; absent where it did not run, and in reports of earlier versions. */
  readonly seconds?: number;
  /** The first requirement set that holds it, where the run was judged by an earlier one: a breach is then a warning. */
  readonly upcoming?: string;
  /** The verdict that a waiver replaced, where the verdict is `waived`. */
  readonly waivedVerdict?: 'fail' | 'blocked';
}

/** `conformance.json`. */
export interface Report {
  readonly format: 'dealership-conformance/1';
  /** `set` names the requirement set; absent in reports of earlier versions. */
  readonly suite: { readonly version: string; readonly catalogue: string; readonly set?: string };
  readonly target: {
    readonly baseUrl: string;
    readonly embedded: boolean;
    readonly document: string | null;
    /** As its document names it; absent where that does not, and in reports of earlier versions. */
    readonly version?: string;
  };
  readonly started: string;
  readonly seconds: number;
  readonly seed: number;
  /** The trace id in `traceparent` of every request (W3C Trace Context); absent in reports of earlier versions. */
  readonly traceId?: string;
  readonly requests: number;
  readonly outcome: 'conformant' | 'nonconformant' | 'incomplete';
  readonly counts: Readonly<Record<Verdict, number>>;
  /** The sections of these requirements, in their order, those of a pack with their level of a certificate; absent in reports of earlier versions. */
  readonly sections?: readonly { readonly id: string; readonly title: string; readonly level?: string }[];
  readonly requirements: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  /** One sentence for each waiver that is expired or no longer needed; the outcome is then `nonconformant`. */
  readonly outdatedWaivers?: readonly string[];
}
