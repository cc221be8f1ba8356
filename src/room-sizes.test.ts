import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The most lines that each room may ship: a folder of `src`, the files beside them, `specs` and `load`. */
const ceilings: Readonly<Record<string, number>> = {
  'src/api': 4200,
  'src/certification': 2674,
  'src/cli': 3150,
  'src/embedded': 42,
  'src/expect': 214,
  'src/generators': 2170,
  'src/http': 1576,
  'src/idempotency': 1904,
  'src/judge': 3297,
  'src/openapi': 3560,
  'src/playwright': 215,
  'src/ratelimit': 2_981,
  'src/reference': 6300,
  'src/registry': 1010,
  'src/reports': 2398,
  'src/requirement': 596,
  'src/run': 2081,
  'src/service': 730,
  'src/settings': 925,
  'src/traffic': 5500,
  'src/webhooks': 2270,
  specs: 2114,
  load: 140,
  src: 622,
};

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
    // A ceiling far above its room keeps nothing.
    return lines > ceiling || lines < ceiling * 0.9;
  });
  const roomy = Object.fromEntries(wrong.map(([room, lines]) => [room, Math.ceil(lines * 1.02)]));
  expect(wrong, `these ceilings of this file are the sizes and two percent: ${JSON.stringify(roomy)}`).toEqual([]);
});
