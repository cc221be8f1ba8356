import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folder → what its files may import besides themselves; tests and test kits are free. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  // A requirement is written with the vocabulary of one module.
  specs: ['suite'],
  load: ['suite'],
  suite: [
    'service',
    'api',
    'expect',
    'generators',
    'http',
    'idempotency',
    'openapi',
    'ratelimit',
    'requirement',
    'run',
    'settings',
    'traffic',
    'webhooks',
  ],
  'suite-pack': ['specs', 'load', 'requirement'],
  packs: ['suite-pack', 'requirement', 'settings'],
  judge: ['certification', 'embedded', 'reports', 'requirement', 'run', 'traffic', 'version'],
  index: [
    'certification',
    'judge',
    'packs',
    'embedded',
    'ratelimit',
    'reference',
    'reports',
    'requirement',
    'run',
    'http',
    'settings',
  ],
  playwright: ['packs', 'cli', 'embedded', 'reports', 'run', 'requirement', 'http'],
  cli: [
    'judge',
    'packs',
    'suite-pack',
    'api',
    'service',
    'embedded',
    'reference',
    'reports',
    'requirement',
    'run',
    'settings',
    'version',
    'certification',
    'registry',
    'traffic',
    'ratelimit',
    'http',
    'webhooks',
    'openapi',
  ],
  certification: ['reports', 'requirement', 'run', 'settings', 'http', 'version', 'openapi'],
  registry: ['certification', 'openapi', 'reports', 'settings'],
  embedded: ['reference', 'settings'],
  service: ['run', 'http', 'openapi', 'settings'],
  api: ['service', 'run', 'http', 'openapi', 'settings', 'generators', 'expect'],
  // Matchers judge values; they send nothing.
  expect: ['service', 'api', 'http'],
  generators: ['service', 'api', 'run', 'http', 'openapi', 'settings'],
  idempotency: ['service', 'api', 'run', 'http', 'openapi', 'settings', 'generators', 'reports'],
  webhooks: ['service', 'api', 'run', 'http', 'openapi', 'settings', 'requirement'],
  traffic: ['ratelimit', 'settings', 'run', 'http', 'reports', 'openapi', 'service', 'api', 'version', 'embedded'],
  ratelimit: ['settings'],
  run: ['openapi', 'expect', 'http', 'reports', 'requirement', 'settings', 'version'],
  reports: ['http', 'openapi', 'requirement', 'version'],
  openapi: ['http'],
  requirement: ['run', 'settings', 'http', 'openapi'],
  settings: [],
  http: ['settings'],
  reference: [],
  version: [],
  // Not shipped, so nothing imports it.
  testing: [
    'judge',
    'packs',
    'reference',
    'requirement',
    'run',
    'settings',
    'http',
    'ratelimit',
    'traffic',
    'reports',
    'loopback.test-kit',
    'version',
    'certification',
    'suite-pack',
  ],
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
  for (const file of ['src', 'specs', 'load', 'testing'].flatMap(sourceFiles)) {
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
