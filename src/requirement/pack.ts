import type { Beside, Requirement } from './requirement.js';

/** Requirements that belong together, in the order in which they are judged. */
export interface Pack {
  readonly name: string;
  readonly version?: string;
  readonly sections: readonly Section[];
  readonly requirements: readonly Requirement[];
}

/** A part of a report. */
export interface Section {
  /** The prefix of its ids, such as `UNIT`. */
  readonly id: string;
  readonly title: string;
  /** About how many requests its requirements send, in the gate and, where that is more, in certify. */
  readonly requests?: readonly [gate: number, certify?: number];
  /** What may run at the same time as its requirements. Unless given, each runs alone. */
  readonly beside?: Beside;
  /** The level of a certificate that its requirements grant, such as `Region North`; none unless given, and none of the suite's own. */
  readonly level?: string;
}

/** The suite's own levels, and the sections that each needs. */
export const levelSections: Readonly<Record<'Core' | 'Demo' | 'Limits' | 'Webhooks', readonly string[]>> = {
  Core: ['DOC', 'ENV', 'UNIT', 'LEAD', 'IDEM', 'DEAL', 'PLAN', 'AUTH', 'VER'],
  Demo: ['DEMO'],
  Limits: ['LIMIT'],
  Webhooks: ['HOOK'],
};

/** A pack as the file of a run and a certificate name it. */
export type NamedPack = Pick<Pack, 'name' | 'version'>;

/** `a-pack 1.0.0`. */
export function packText({ name, version }: NamedPack): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** Everything that can be judged: the requirements of all packs, in the order in which they are judged, and the packs that PACKS names. */
export interface Catalogue extends Pick<Pack, 'sections' | 'requirements'> {
  readonly packs?: readonly NamedPack[];
}

/** Packs as one, in their order. Throws where a requirement or a section is there twice, or a requirement's section is not there. */
export function joinPacks(packs: readonly Pack[]): Catalogue {
  const sections = packs.flatMap((pack) => pack.sections);
  const requirements = packs.flatMap((pack) => pack.requirements);
  const assertUnique = (what: string, all: readonly { readonly id: string }[]): void => {
    const twice = all.find(({ id }, at) => all.findIndex((one) => one.id === id) !== at);
    if (twice !== undefined)
      throw new Error(`the ${what} ${twice.id} is defined twice in ${packs.map(({ name }) => name).join(', ')}`);
  };
  assertUnique('section', sections);
  assertUnique('requirement', requirements);
  assertUnique(
    'pack',
    packs.map(({ name }) => ({ id: name })),
  );
  const stray = requirements.find(({ section }) => !sections.some(({ id }) => id === section));
  if (stray !== undefined) throw new Error(`the requirement ${stray.id} belongs to no section of its pack`);
  return { sections, requirements };
}
