import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folder → what its files may import besides themselves; tests and test kits are free. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  specs: ['suite', 'api', 'generate', 'idempotency', 'webhook', 'contract', 'http', 'run', 'target'],
  load: ['suite', 'api', 'traffic', 'limiter', 'http', 'run', 'target', 'contract'],
  suite: ['playwright', 'requirement', 'run'],
  playwright: ['cli', 'embedded', 'report', 'run', 'requirement', 'http'],
  cli: [
    'embedded',
    'reference',
    'report',
    'requirement',
    'run',
    'target',
    'version',
    'certification',
    'traffic',
    'limiter',
    'http',
    'webhook',
    'contract',
  ],
  certification: ['report', 'requirement', 'run', 'target', 'http', 'version', 'contract'],
  embedded: ['reference', 'target'],
  'kill-matrix': ['reference', 'stranger', 'requirement', 'run', 'target', 'http'],
  api: ['run', 'http', 'contract', 'target', 'generate'],
  generate: ['api', 'run', 'http', 'contract', 'target'],
  idempotency: ['api', 'run', 'http', 'contract', 'target', 'generate', 'report'],
  webhook: ['api', 'run', 'http', 'contract', 'target', 'requirement'],
  traffic: ['limiter', 'target', 'run', 'http', 'report', 'contract', 'api', 'version', 'embedded'],
  limiter: ['target'],
  run: ['contract', 'http', 'report', 'requirement', 'target', 'version'],
  report: ['http', 'requirement', 'version'],
  contract: ['http'],
  requirement: ['run', 'target'],
  target: [],
  http: [],
  reference: [],
  stranger: [],
  version: [],
};

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|test-?kit/.test(name))
    .map((name) => join(folder, name));
}

/** `src/api/units.ts` → `api`; a file directly in `src` is its own module. */
function moduleOf(file: string): string {
  const parts = file.split('/');
  return parts[0] === 'src'
    ? parts.length > 2
      ? (parts[1] ?? '')
      : (parts[1] ?? '').replace(/\.ts$/, '')
    : (parts[0] ?? '');
}

test('imports point one way, and the reference shares nothing with what judges it', () => {
  const wrong: string[] = [];
  for (const file of ['src', 'specs', 'load'].flatMap(sourceFiles)) {
    const from = moduleOf(file);
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import)\s*(?:\(\s*)?'(\.[^']+)'/g,
    )) {
      const to = moduleOf(relative(root, resolve(root, dirname(file), target ?? '')));
      if (to !== from && allowed[from]?.includes(to.replace(/\.js$/, '')) !== true)
        wrong.push(`${file} imports ${target ?? ''}`);
    }
  }
  expect(wrong).toEqual([]);
});
