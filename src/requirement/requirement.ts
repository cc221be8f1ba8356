import type { Level } from './types.js';

/** Playwright's test details, carrying one requirement: its id as a tag, level and source as annotations. */
export interface RequirementDetails {
  readonly tag: string[];
  readonly annotation: { type: string; description: string }[];
}

/** What else a requirement may say of itself. */
export interface RequirementOptions {
  /** It creates or changes something in the target, so READ_ONLY leaves it out. */
  readonly writes?: boolean;
  /** It waits for limit windows, so the gate leaves it out. */
  readonly slow?: boolean;
}

/** One requirement as the catalogue knows it. */
export interface CatalogueEntry {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly source: string;
  readonly title: string;
  readonly writes: boolean;
  readonly slow: boolean;
}

/** Marks a test as the check of one requirement; `source` is the specification's section or a standard's. */
export function requirement(
  id: `${string}-${number}`,
  level: Level,
  source: string,
  options: RequirementOptions = {},
): RequirementDetails {
  const annotation = [
    { type: 'requirement', description: id },
    { type: 'level', description: level },
    { type: 'source', description: source },
  ];
  if (options.writes) annotation.push({ type: 'writes', description: 'creates or changes something in the target' });
  if (options.slow) annotation.push({ type: 'slow', description: 'waits for limit windows' });
  return { tag: [`@${id}`, `@${level}`, `@${id.replace(/-\d+$/, '')}`], annotation };
}

/** Reads a requirement back from a test's title and annotations; null where it carries none. */
export function entryOf(
  title: string,
  annotations: readonly { type: string; description?: string | undefined }[],
): CatalogueEntry | null {
  const of = (type: string): string | undefined => annotations.find((one) => one.type === type)?.description;
  const id = of('requirement');
  const level = of('level');
  if (id === undefined || level === undefined) return null;
  return {
    id,
    section: id.replace(/-\d+$/, ''),
    level: level as Level,
    source: of('source') ?? '',
    title,
    writes: of('writes') !== undefined,
    slow: of('slow') !== undefined,
  };
}
