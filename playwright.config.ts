import { defineConfig } from '@playwright/test';
import { settleSharedValues } from './src/playwright/index.js';

settleSharedValues();

/** Files that need more than a unit test has: sockets, a quiet machine, or minutes. */
const special = /\.(service|timing|proof|long)\.test\.ts$/;

/** Test files with this ending, beside the code that they test and in `testing`. */
const tests = (ending: string): string[] => [`**/src/**/*${ending}`, `**/testing/**/*${ending}`];

export default defineConfig({
  testDir: '.',
  workers: '150%',
  retries: 0,
  timeout: 120_000,
  outputDir: 'reports/playwright/results',
  reporter: [
    ['list'],
    ['html', { outputFolder: 'reports/playwright/report', open: 'never' }],
    ['./src/playwright/reporter.ts'],
  ],
  projects: [
    // Judges a service: in one worker and in order, as ENV is judged over what all other requirements saw; parallel only to be sharded.
    {
      name: 'conformance',
      testDir: 'src/playwright',
      testMatch: 'conformance.spec.ts',
      fullyParallel: true,
      workers: 1,
      timeout: 0,
    },

    // The self-test. Unit tests open no socket; property tests among them take many seeds where PROOF is 1.
    { name: 'unit', testMatch: tests('.test.ts'), testIgnore: special, fullyParallel: true, workers: '100%' },
    // Services and processes on loopback.
    { name: 'service', testMatch: tests('.service.test.ts') },
    // Real time is measured: alone, when the others are through.
    { name: 'timing', testMatch: tests('.timing.test.ts'), workers: 1, dependencies: ['unit', 'service'] },
    // Part of the full proof alone: what takes minutes; side by side where no time is measured, and the property tests with many seeds.
    { name: 'proof', testMatch: tests('.proof.test.ts'), workers: 1, timeout: 600_000 },
    {
      name: 'simulations',
      testMatch: [...tests('.property.test.ts'), ...tests('.long.test.ts')],
      fullyParallel: true,
      timeout: 1_200_000,
    },
  ],
});
