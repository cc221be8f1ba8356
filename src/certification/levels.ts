import {
  levelSections,
  type Report,
  type Requirement,
  type RequirementResult,
  type Section,
  sectionOf,
} from '../requirement/index.js';
import { type PlanName, planNames, unknownName } from '../settings/index.js';
import type { Manifest } from './bundle/manifest.js';

/** One level: granted, withheld because of what `why` names, or not judged at all. */
export type LevelState = Manifest['levels'][number];

/** The names of the levels that are granted. */
export const grantedNames = (levels: readonly LevelState[]): string[] =>
  levels.filter(({ standing }) => standing === 'granted').map(({ name }) => name);

interface Level {
  readonly name: string;
  readonly sections: readonly string[];
  /** Of a level of one plan: load must have been sent to it. */
  readonly plan?: PlanName;
}

/** The suite's own levels. */
const ownLevels = Object.entries(levelSections).flatMap(([name, sections]): readonly Level[] =>
  name === 'Limits' ? planNames.map((plan) => ({ name: `${name}: ${plan}`, sections, plan })) : [{ name, sections }],
);

/** The names of the suite's own levels. */
export const levelNames: readonly string[] = ownLevels.map(({ name }) => name);

/** The levels that sections of packs grant. */
function packLevels(all: readonly Pick<Section, 'id' | 'level'>[] = []): Level[] {
  const names = new Set(all.flatMap(({ level }) => level ?? []));
  return Array.from(names, (name) => ({
    name,
    sections: all.filter(({ level }) => level === name).map(({ id }) => id),
  }));
}

/**
 * The requirements that `--require` names by their ids, or by a level: all of it but what a service need not offer. Throws SettingsError.
 */
export function requiredEntries<T extends Pick<Requirement, 'id' | 'section' | 'level' | 'optional'>>(
  names: readonly string[],
  all: readonly T[],
  ofPacks: readonly Section[] = [],
): T[] {
  const plain = Object.entries(levelSections).map(([name, sections]): Level => ({ name, sections }));
  const levels = [...plain, ...packLevels(ofPacks)];
  const found = names.flatMap((name) => {
    const level = levels.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const entries = all.filter(({ id, section, level: strength, optional }) =>
      level === undefined
        ? id === name.toUpperCase()
        : level.sections.includes(section) && strength !== 'OBSERVE' && optional === undefined,
    );
    if (entries.length === 0)
      throw unknownName(
        '--require',
        name,
        `a level (${levels.map((one) => one.name).join(', ')}) or an id that "npx dealership-conformance list" prints`,
      );
    return entries;
  });
  return [...new Set(found)];
}

type Row = Pick<RequirementResult, 'id' | 'level' | 'verdict' | 'upcoming'> & { readonly isOptional: boolean };

function inTheWay({ id, level, verdict, upcoming, isOptional }: Row): string | null {
  if (upcoming !== undefined && verdict !== 'error') return null;
  if (verdict === 'fail') return `${id} failed`;
  if (verdict === 'waived') return `${id} is waived`;
  if (verdict === 'blocked') return `${id} could not be judged`;
  if (verdict === 'error') return `${id} made the suite fail`;
  if (verdict === 'not-applicable' && level !== 'OBSERVE' && !isOptional) return `${id} was left out`;
  return null;
}

function stateOf(name: string, rows: readonly Row[], demanded: readonly string[]): LevelState {
  const absent = demanded.filter((section) => !rows.some((row) => sectionOf(row.id) === section));
  const judged = rows.filter((row) => row.verdict !== 'not-applicable');
  if (judged.length === 0) return { name, standing: 'not judged', why: 'nothing of it was judged' };
  const faults = [...rows.flatMap((row) => inTheWay(row) ?? []), ...absent.map((section) => `${section} was not run`)];
  if (faults.length > 0)
    return {
      name,
      standing: 'withheld',
      why: `${faults.slice(0, 6).join(', ')}${faults.length > 6 ? ` and ${faults.length - 6} more` : ''}`,
    };
  return { name, standing: 'granted', why: `${judged.length} requirements passed` };
}

/**
 * What a report grants. A level needs all of its requirements: nothing failed, blocked or left out that `catalogue` does not
 * call optional. `judgedPlans` are those that load was sent to. One verdict covers all plans, so a failure of one withholds the level for all.
 */
export function levelsOf(
  report: Pick<Report, 'requirements' | 'sections'>,
  catalogue: readonly Pick<Requirement, 'id' | 'optional'>[],
  judgedPlans: readonly PlanName[] = [],
): LevelState[] {
  const of = (ids: readonly string[]): Row[] =>
    report.requirements
      .filter(({ id }) => ids.includes(sectionOf(id)))
      .map((result) => ({
        ...result,
        isOptional: catalogue.some(({ id, optional }) => id === result.id && optional !== undefined),
      }));
  return [...ownLevels, ...packLevels(report.sections)].map(({ name, sections, plan }): LevelState =>
    plan === undefined || judgedPlans.includes(plan)
      ? stateOf(name, of(sections), sections)
      : { name, standing: 'not judged', why: 'no load was sent to it' },
  );
}
