import { defineConfig } from '@playwright/test';
import { settleSharedValues } from './src/playwright/shared.js';

settleSharedValues();

/** Judges a service: one worker, as ENV is judged over what all other requirements saw. */
const judging = { fullyParallel: false, workers: 1 } as const;

/** Files that need more than a unit test has: sockets, a quiet machine, or minutes. */
const special = /\.(service|timing|proof)\.test\.ts$/;

export default defineConfig({
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
    { name: 'conformance', testDir: 'specs', testMatch: '**/*.spec.ts', testIgnore: '**/envelope.spec.ts', ...judging },
    { name: 'load', testDir: 'load', testMatch: '**/*.load.ts', timeout: 900_000, ...judging },
    // The envelope is judged over every answer that the other checks saw, so it comes after them.
    { name: 'envelope', testDir: 'specs', testMatch: '**/envelope.spec.ts', ...judging },

    // The self-test. Unit tests open no socket; property tests among them take many seeds where PROOF is 1.
    { name: 'unit', testDir: 'src', testMatch: '**/*.test.ts', testIgnore: special, fullyParallel: true },
    // Services and processes on loopback.
    { name: 'service', testDir: 'src', testMatch: '**/*.service.test.ts' },
    // Real time is measured: alone, when the others are through.
    { name: 'timing', testDir: 'src', testMatch: '**/*.timing.test.ts', workers: 1, dependencies: ['unit', 'service'] },
    // Part of the full proof alone: what takes minutes, and the property tests once more with many seeds.
    { name: 'proof', testDir: 'src', testMatch: '**/*.proof.test.ts', workers: 1, timeout: 600_000 },
    {
      name: 'simulations',
      testDir: 'src',
      testMatch: '**/*.property.test.ts',
      fullyParallel: true,
      timeout: 1_200_000,
    },
  ],
});
