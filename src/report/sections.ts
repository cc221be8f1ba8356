import type { RequirementResult } from '../requirement/types.js';

const titles: Readonly<Record<string, string>> = {
  DOC: 'OpenAPI document',
  ENV: 'Envelope',
  UNIT: 'Units',
  LEAD: 'Leads',
  IDEM: 'Idempotency',
  DEAL: 'Deals',
  PLAN: 'Planned endpoints',
  DEMO: 'Demo API',
  AUTH: 'Authentication, scopes, tenants',
  HOOK: 'Webhooks',
  LIMIT: 'Limits',
  VER: 'Versioning',
};

/** The section that an id belongs to: `UNIT` for `UNIT-03`. */
export function sectionOf(id: string): string {
  return id.replace(/-\d+$/, '');
}

/** What a section is about; empty where it is not known. */
export function sectionTitle(section: string): string {
  return titles[section] ?? '';
}

/** Requirements by section: known sections in the specification's order, others behind, ids in order within. */
export function bySection<T extends Pick<RequirementResult, 'id'>>(results: readonly T[]): Map<string, T[]> {
  const rank = Object.keys(titles);
  const place = (section: string): number => (rank.includes(section) ? rank.indexOf(section) : rank.length);
  const sorted = [...results].sort((a, b) => {
    const [left, right] = [sectionOf(a.id), sectionOf(b.id)];
    return (
      place(left) - place(right) ||
      (left < right ? -1 : left > right ? 1 : 0) ||
      a.id.localeCompare(b.id, 'en', { numeric: true })
    );
  });
  const groups = new Map<string, T[]>();
  for (const result of sorted) {
    const section = sectionOf(result.id);
    groups.set(section, [...(groups.get(section) ?? []), result]);
  }
  return groups;
}
