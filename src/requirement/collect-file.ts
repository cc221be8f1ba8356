import { startCollecting } from './collector.js';
import type { CollectedCheck } from './collector.js';

const known = new Map<string, Promise<readonly CollectedCheck[]>>();

async function collect(url: string): Promise<readonly CollectedCheck[]> {
  const collected = startCollecting();
  const before = collected.length;
  await import(url);
  return collected.slice(before);
}

/**
 * The checks that stand in one spec file, by its URL; this process registers no Playwright tests from then on. A file is imported once,
 * whoever asks for it, so everybody has to ask here; one after the other, as what is collected meanwhile counts as the file's.
 */
export function collectFile(url: string): Promise<readonly CollectedCheck[]> {
  const checks = known.get(url) ?? collect(url);
  known.set(url, checks);
  return checks;
}
