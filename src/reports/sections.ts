import { type Report, type RequirementResult, sectionOf } from '../requirement/index.js';

/** The title of a section; empty if the report has none. */
export function sectionTitle(section: string, sections: Report['sections'] = []): string {
  return sections.find(({ id }) => id === section)?.title ?? '';
}

/** Requirements by section: the given sections in their order, others behind, ids in order within. */
export function bySection<T extends Pick<RequirementResult, 'id'>>(
  results: readonly T[],
  sections: Report['sections'] = [],
): Map<string, T[]> {
  const byId = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  const others = results.map(({ id }) => sectionOf(id)).sort(byId);
  const groups = new Map<string, T[]>([...sections.map(({ id }) => id), ...others].map((section) => [section, []]));
  for (const result of [...results].sort((a, b) => byId(a.id, b.id))) groups.get(sectionOf(result.id))?.push(result);
  return new Map([...groups].filter(([, group]) => group.length > 0));
}
