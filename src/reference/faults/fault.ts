import type { FaultHooks } from '../instance.js';

export interface Extras {
  /** Variant options without which it could not be seen; the service sets them by itself. */
  readonly needs?: Readonly<Record<string, string>>;
  /** `CONTRACT`: shows only against the faultless document, pinned. */
  readonly setting?: 'CONTRACT';
  /** The section, or the requirement, whose checks send what shows it, where its requirement's own check does not. */
  readonly elsewhere?: string;
  /** `certify`: too rare for the gate to meet it in every run. `gate`: a fault of the limits that needs no window. */
  readonly depth?: 'certify' | 'gate';
  /** It goes against the softer part of its requirement: a warning is what it is to get. */
  readonly warns?: true;
  /** Why no check reports it: a row to write. Once one does, that is a problem of the proof until this is struck out. */
  readonly missed?: string;
}

/** A deliberate breach of one requirement. */
export interface Fault extends Extras {
  /** kebab-case, unique. */
  readonly id: string;
  /** The requirement that it turns red (or, for a SHOULD, yellow). */
  readonly requirement: string;
  readonly description: string;
  /** Its hooks for one instance of the service, with a memory of their own. */
  makeHooks(): FaultHooks;
}

/** Declares a fault: one row of a table. */
export function fault(
  id: string,
  requirement: string,
  description: string,
  hooks: FaultHooks | (() => FaultHooks),
  extras: Extras = {},
): Fault {
  const makeHooks = typeof hooks === 'function' ? hooks : () => hooks;
  return Object.freeze({ id, requirement, description, ...extras, makeHooks });
}
