import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What every room may import; it imports nothing itself. */
const ground = ['typed-schema', 'version', 'visible'];

/** Folder → what its files may import besides themselves and the ground; tests and test kits are free. */
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
    'judge',
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
  'judge-target': ['certification', 'embedded', 'reports', 'requirement', 'run', 'traffic'],
  index: [
    'certification',
    'judge-target',
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
    'judge-target',
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
    'certification',
    'registry',
    'traffic',
    'ratelimit',
    'http',
    'webhooks',
    'openapi',
  ],
  certification: ['reports', 'requirement', 'run', 'settings', 'http', 'openapi'],
  registry: ['certification', 'openapi', 'reports', 'settings'],
  embedded: ['reference', 'settings'],
  service: ['run', 'http', 'openapi', 'settings'],
  api: ['service', 'run', 'http', 'openapi', 'settings', 'generators', 'expect'],
  // Rules over all exchanges of a run; they send nothing.
  judge: ['service', 'api', 'expect', 'http', 'openapi', 'requirement', 'run', 'settings'],
  // Matchers judge values; they send nothing.
  expect: ['service', 'run', 'http'],
  generators: ['service', 'run', 'http', 'openapi'],
  idempotency: ['service', 'api', 'run', 'http', 'openapi', 'requirement', 'settings', 'generators'],
  webhooks: ['service', 'api', 'run', 'http', 'openapi', 'settings', 'requirement'],
  traffic: [
    'judge',
    'expect',
    'ratelimit',
    'settings',
    'run',
    'http',
    'reports',
    'openapi',
    'service',
    'api',
    'embedded',
  ],
  ratelimit: ['settings'],
  run: ['openapi', 'http', 'requirement', 'settings'],
  reports: ['http', 'openapi', 'requirement', 'settings'],
  openapi: ['http'],
  requirement: ['run', 'settings', 'http', 'openapi'],
  settings: [],
  http: ['settings'],
  reference: [],
  // Not shipped, so nothing imports it.
  testing: [
    'judge-target',
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

interface Edge {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Whether it imports what the door of the room hands out. */
  readonly isDoor: boolean;
}

/** The imports between rooms; `values`: without those of types alone, which are gone at run time. */
function edges({ values }: { readonly values: boolean }): Edge[] {
  return ['src', 'specs', 'load', 'testing'].flatMap(sourceFiles).flatMap((file) => {
    const whole = readFileSync(join(root, file), 'utf8');
    const text = values ? whole.replace(/^(?:import|export) type [^;]*;/gm, '') : whole;
    return [...text.matchAll(/(?:from|import)\s*(?:\(\s*)?'(\.[^']+)'/g)].flatMap(([, target = '']) => {
      const path = relative(root, resolve(root, dirname(file), target));
      const [from, to] = [moduleOf(file), moduleOf(path).replace(/\.js$/, '')];
      // A room is a folder of `src`; a file directly in it is its own door.
      const isDoor = !/^src\/[^/]+\//.test(path) || path.endsWith('/index.js');
      return from === to ? [] : [{ file, from, to, isDoor }];
    });
  });
}

test('imports point one way, and the reference shares nothing with what judges it', () => {
  const wrong = edges({ values: false }).filter(
    ({ from, to }) => !ground.includes(to) && allowed[from]?.includes(to) !== true,
  );
  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});

test('a room is entered by its door', () => {
  const wrong = edges({ values: false }).filter(({ isDoor }) => !isDoor);
  expect(wrong.map(({ file, to }) => `${file} imports a file of ${to}`)).toEqual([]);
});

test('no room needs itself by way of another', () => {
  let cyclic = edges({ values: true });
  // A room that needs none of the rest, or that none of them needs, is in no cycle.
  for (let before = Infinity; cyclic.length < before;) {
    before = cyclic.length;
    const [needing, needed] = [new Set(cyclic.map(({ from }) => from)), new Set(cyclic.map(({ to }) => to))];
    cyclic = cyclic.filter(({ from, to }) => needing.has(to) && needed.has(from));
  }
  expect(cyclic.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
});
