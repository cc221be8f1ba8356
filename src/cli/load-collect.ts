import { collectFile } from '../requirement/collect-file.js';
import type { CollectedCheck } from '../requirement/collector.js';
import type { LimitScenario } from './load-options.js';

/** The checks that stand in a scenario's own file; this process registers no Playwright tests from then on. */
export function checksOf(scenario: LimitScenario): Promise<readonly CollectedCheck[]> {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return collectFile(new URL(`../../load/${scenario}.load.${ending}`, import.meta.url).href);
}
