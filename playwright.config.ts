import { defineConfig } from '@playwright/test';

export default defineConfig({
  fullyParallel: false,
  workers: 1,
  retries: 0,
  reporter: [['list']],
  outputDir: 'reports/playwright/results',
  projects: [
    { name: 'conformance', testDir: 'specs', testMatch: '**/*.spec.ts' },
    { name: 'load', testDir: 'load', testMatch: '**/*.load.ts' },
    { name: 'self', testDir: 'src', testMatch: '**/*.test.ts' },
  ],
});
