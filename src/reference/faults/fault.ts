/** Another requirement that a fault cannot help breaking, and why. */
export interface Collateral {
  readonly id: string;
  readonly reason: string;
}

/** A deliberate breach of one requirement. */
export interface Fault<Id extends string = string> {
  /** kebab-case, unique. */
  readonly id: Id;
  /** The requirement that it turns red (or, for a SHOULD, yellow). */
  readonly requirement: string;
  readonly description: string;
  readonly collateral?: readonly Collateral[];
  /** Dial values without which it could not be seen; the service sets them by itself. */
  readonly needs?: Readonly<Record<string, string>>;
  /** `CONTRACT`: shows only against the faultless document, pinned. */
  readonly setting?: 'CONTRACT';
  /** Settings of a run without which it is no fault. */
  readonly pins?: Readonly<Record<string, string>>;
  /** `certify`: too rare for the gate to meet it in every run. */
  readonly depth?: 'certify';
  /** The section whose checks send what shows it, where its requirement's own check does not. */
  readonly elsewhere?: string;
  /** It goes against the softer part of its requirement: a warning is what it is to get. */
  readonly warns?: true;
}

interface Extras {
  readonly also?: Readonly<Record<string, string>>;
  readonly needs?: Readonly<Record<string, string>>;
  readonly setting?: 'CONTRACT';
  readonly pins?: Readonly<Record<string, string>>;
  readonly warns?: true;
  readonly depth?: 'certify';
  readonly elsewhere?: string;
}

/** Declares a fault; `also` maps requirement ids that break with it to the reason. */
export function fault<const Id extends string>(
  id: Id,
  requirement: string,
  description: string,
  extras: Extras = {},
): Fault<Id> {
  const collateral = Object.entries(extras.also ?? {}).map(([other, reason]) => ({ id: other, reason }));
  return Object.freeze({
    id,
    requirement,
    description,
    ...(collateral.length > 0 ? { collateral } : {}),
    ...(extras.needs ? { needs: extras.needs } : {}),
    ...(extras.setting ? { setting: extras.setting } : {}),
    ...(extras.pins ? { pins: extras.pins } : {}),
    ...(extras.elsewhere ? { elsewhere: extras.elsewhere } : {}),
    ...(extras.depth ? { depth: extras.depth } : {}),
    ...(extras.warns ? { warns: extras.warns } : {}),
  });
}
