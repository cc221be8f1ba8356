import { readdirSync } from 'node:fs';
import { collectFile } from './collect-file.js';
import { startCollecting } from './collector.js';
import type { CollectedCheck } from './collector.js';

let loading: Promise<readonly CollectedCheck[]> | null = null;

async function load(): Promise<readonly CollectedCheck[]> {
  const collected = startCollecting();
  for (const [folder, ending] of [
    ['specs', '.spec'],
    ['load', '.load'],
  ] as const) {
    const place = new URL(`../../${folder}/`, import.meta.url);
    let files: string[] = [];
    try {
      files = readdirSync(place)
        .filter((file) => file.endsWith(`${ending}.js`) || file.endsWith(`${ending}.ts`))
        .sort();
    } catch {
      continue;
    }
    for (const file of files) await collectFile(new URL(file, place).href);
  }
  return collected;
}

/** Every check of the suite, collected from the spec files; this process registers no Playwright tests from then on. */
export function loadChecks(): Promise<readonly CollectedCheck[]> {
  loading ??= load();
  return loading;
}
