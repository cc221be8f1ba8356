import { startCollecting } from '../requirement/collector.js';
import type { CollectedCheck } from '../requirement/collector.js';
import type { LimitScenario } from './load-options.js';

const known = new Map<LimitScenario, Promise<readonly CollectedCheck[]>>();

async function collectFile(scenario: LimitScenario): Promise<readonly CollectedCheck[]> {
  const collected = startCollecting();
  const before = collected.length;
  await import(
    new URL(`../../load/${scenario}.load.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href
  );
  return collected.slice(before);
}

/** The checks that stand in a scenario's own file; this process registers no Playwright tests from then on. */
export function checksOf(scenario: LimitScenario): Promise<readonly CollectedCheck[]> {
  const checks = known.get(scenario) ?? collectFile(scenario);
  known.set(scenario, checks);
  return checks;
}
