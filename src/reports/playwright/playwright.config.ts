import { defineConfig } from '@playwright/test';

/** Shows the verdicts of a finished run in Playwright's own report: one test each, and not one request. */
export default defineConfig({
  testDir: '.',
  testMatch: 'verdicts.spec.js',
  workers: 1,
  retries: 0,
  outputDir: process.env['DEALERSHIP_CONFORMANCE_SCRATCH'] ?? 'results',
  reporter: [['html', { open: 'never' }]],
});
