/** The lead that an answer shows for a key. */
export type Answer =
  /** A success: the id it shows, if any, the labels of the bodies whose data it shows, and whether it has fields that were sent at all. */
  | { readonly kind: 'lead'; readonly id: string | null; readonly shows: readonly string[]; readonly tells: boolean }
  | { readonly kind: 'refused'; readonly status: number }
  /** An answer that leaves open whether the request took effect; `open` where it may still do so later (none at all, 5xx). */
  | { readonly kind: 'unknown'; readonly why: string; readonly open: boolean };

/** One create as the model sees it; instants in milliseconds on one clock. */
export interface KeyedRequest {
  readonly tenant: string;
  readonly route: string;
  readonly key: string;
  /** Label of the body; equal labels are equal bytes. */
  readonly body: string;
  /** Whether the body is one that an ordinary create is accepted with. */
  readonly plain: boolean;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly answer: Answer;
}

/** The kind of breach in a history; shrinking keeps the kind. */
export type AnomalyKind = 'second-lead' | 'other-data' | 'fresh-refused' | 'never-made' | 'shared-lead';

/** Why no order of the requests explains the answers. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  readonly reason: string;
  /** Positions in the history of the requests that matter. */
  readonly about: readonly number[];
}

/** Facts about the usual answers of the target. */
export interface TargetTraits {
  /** Ordinary creates show an id that differs from lead to lead. */
  readonly shows: 'id' | 'no id';
  /** Ordinary creates show what was sent. */
  readonly echoes: boolean;
}
