import { expect, test } from '@playwright/test';
import { buildText, officialBuilds } from './official-builds.js';

test('a build is official where its digest was published for its version', () => {
  const packed = `sha256:${'1'.repeat(64)}`;
  expect(buildText({ version: '1.2.3', packed }, { '1.2.3': packed })).toBe('the official build of 1.2.3');
  expect(buildText({ version: '1.2.3', packed }, { '1.2.3': `sha256:${'2'.repeat(64)}` })).toMatch(/is not the build/);
  expect(buildText({ version: '1.2.3', packed }, {})).toMatch(/not among the published versions/);
  expect(Object.values(officialBuilds()).every((one) => one.startsWith('sha256:'))).toBe(true);
});
