/** Templates of the paths that are planned and not live. */
export const plannedTemplates = [
  '/deals/{id}/desk',
  '/calls',
  '/calls/{id}/transcript',
  '/assistant/dispatch',
  '/reports/funnel',
] as const;

const patterns = plannedTemplates.map((template) => new RegExp(`^/api/v1${template.replace('{id}', '[^/]+')}/?$`));

/** The index of the planned path; −1 for none. */
export function plannedIndex(path: string): number {
  return patterns.findIndex((pattern) => pattern.test(path));
}
