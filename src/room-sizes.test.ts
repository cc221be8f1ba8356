import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The most lines that each room may ship: a folder of `src`, the files beside them, `specs` and `load`. */
const ceilings: Readonly<Record<string, number>> = {
  'src/api': 7430,
  'src/certification': 2978,
  'src/cli': 3384,
  'src/embedded': 40,
  'src/expect': 168,
  'src/generators': 2660,
  'src/http': 1490,
  'src/idempotency': 2783,
  'src/judge': 318,
  'src/openapi': 3658,
  'src/playwright': 209,
  'src/ratelimit': 3994,
  'src/reference': 7540,
  'src/registry': 955,
  'src/reports': 2690,
  'src/requirement': 470,
  'src/run': 1945,
  'src/service': 655,
  'src/settings': 835,
  'src/traffic': 6776,
  'src/webhooks': 2605,
  specs: 2968,
  load: 261,
  src: 512,
};

/** Whether a ceiling more than a tenth above its room fails as well. */
const keepsClose = false;

const root = fileURLToPath(new URL('../', import.meta.url));

function linesOf(paths: readonly string[]): number {
  const shipped = paths.filter((path) => path.endsWith('.ts') && !/\.test\.ts$|test-kit\.ts$/.test(path));
  return shipped.reduce((sum, path) => sum + readFileSync(path, 'utf8').split('\n').length - 1, 0);
}

const filesIn = (folder: string, recursive = true): string[] =>
  readdirSync(`${root}${folder}`, { recursive, encoding: 'utf8' }).map((name) => `${root}${folder}/${name}`);

test('no room ships more lines than its ceiling', () => {
  const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const rooms = [...folders.map(({ name }) => `src/${name}`), 'specs', 'load'];
  const sizes = {
    ...Object.fromEntries(rooms.map((room) => [room, linesOf(filesIn(room))])),
    src: linesOf(filesIn('src', false)),
  };
  const wrong = Object.entries(sizes).filter(([room, lines]) => {
    const ceiling = ceilings[room] ?? 0;
    return lines > ceiling || (keepsClose && lines < ceiling * 0.9);
  });
  const roomy = Object.fromEntries(Object.entries(sizes).map(([room, lines]) => [room, Math.ceil(lines * 1.02)]));
  expect(wrong, `sizes and two percent: ${JSON.stringify(roomy)}`).toEqual([]);
});
