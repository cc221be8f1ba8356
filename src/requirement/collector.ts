import type { Check } from '../run/check.js';
import { entryOf } from './requirement.js';
import type { CatalogueEntry, RequirementDetails } from './requirement.js';

/** The body of a check: needs nothing but a Check. */
export type CheckBody = (fixtures: { check: Check }) => Promise<void>;

/** A check collected from a spec file, ready to be run anywhere. */
export interface CollectedCheck extends CatalogueEntry {
  readonly body: CheckBody;
}

const slot = Symbol.for('dealership-conformance.collected');

type Holder = { [slot]?: CollectedCheck[] };

/** From now on, spec files imported in this process hand their checks over instead of registering Playwright tests. */
export function startCollecting(): CollectedCheck[] {
  const holder = globalThis as Holder;
  holder[slot] ??= [];
  return holder[slot];
}

/** Whether this process collects. */
export function collecting(): boolean {
  return (globalThis as Holder)[slot] !== undefined;
}

/** Takes one check; throws where it carries no requirement. */
export function collect(title: string, details: RequirementDetails, body: CheckBody): void {
  const entry = entryOf(title, details.annotation);
  if (entry === null) throw new Error(`the check "${title}" carries no requirement`);
  startCollecting().push({ ...entry, body });
}
