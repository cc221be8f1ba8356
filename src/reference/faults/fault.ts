import type { FaultHooks } from '../instance.js';

/** Another requirement that a fault cannot help breaking, and why. */
export interface Collateral {
  readonly id: string;
  readonly reason: string;
}

export interface Extras {
  /** Variant options without which it could not be seen; the service sets them by itself. */
  readonly needs?: Readonly<Record<string, string>>;
  /** `CONTRACT`: shows only against the faultless document, pinned. */
  readonly setting?: 'CONTRACT';
  /** The section whose checks send what shows it, where its requirement's own check does not. */
  readonly elsewhere?: string;
  /** `certify`: too rare for the gate to meet it in every run. `gate`: a fault of the limits that needs no window. */
  readonly depth?: 'certify' | 'gate';
  /** It goes against the softer part of its requirement: a warning is what it is to get. */
  readonly warns?: true;
  /** Requirements that break with it, each with the reason. */
  readonly also?: Readonly<Record<string, string>>;
}

/** A deliberate breach of one requirement. */
export interface Fault extends Omit<Extras, 'also'> {
  /** kebab-case, unique. */
  readonly id: string;
  /** The requirement that it turns red (or, for a SHOULD, yellow). */
  readonly requirement: string;
  readonly description: string;
  readonly collateral?: readonly Collateral[];
  /** Its hooks for one instance of the service, with a memory of their own. */
  makeHooks(): FaultHooks;
}

/** Declares a fault. */
export function fault(
  id: string,
  requirement: string,
  description: string,
  hooks: FaultHooks | (() => FaultHooks),
  { also = {}, ...extras }: Extras = {},
): Fault {
  const collateral = Object.entries(also).map(([other, reason]) => ({ id: other, reason }));
  return Object.freeze({
    id,
    requirement,
    description,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...extras,
    makeHooks: typeof hooks === 'function' ? hooks : () => hooks,
  });
}

/** The same reason for several requirements. */
export function because(reason: string, ...ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}
