import { defineConfig } from '@playwright/test';
import { settleSharedValues } from './src/playwright/shared.js';

settleSharedValues();

export default defineConfig({
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 120_000,
  outputDir: 'reports/playwright/results',
  reporter: [
    ['list'],
    ['html', { outputFolder: 'reports/playwright/report', open: 'never' }],
    ['./src/playwright/reporter.ts'],
  ],
  projects: [
    { name: 'conformance', testDir: 'specs', testMatch: '**/*.spec.ts', testIgnore: '**/envelope.spec.ts' },
    { name: 'load', testDir: 'load', testMatch: '**/*.load.ts', timeout: 900_000 },
    // The envelope is judged over every answer that the other checks saw, so it comes after them.
    { name: 'envelope', testDir: 'specs', testMatch: '**/envelope.spec.ts' },
    { name: 'self', testDir: 'src', testMatch: '**/*.test.ts' },
  ],
});
