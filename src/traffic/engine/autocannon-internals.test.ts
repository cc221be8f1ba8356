import { expect, test } from '@playwright/test';
import { assertInternals, internalsProblems } from './autocannon-internals.js';

test('the installed autocannon is the one that was proven', () => {
  expect(() => assertInternals()).not.toThrow();
});

test('another version, a changed client or parser is named', () => {
  const problems = internalsProblems(
    '9.1.0',
    { _connect: () => undefined },
    { kOnHeadersComplete: 2, kOnBody: 4, kOnMessageComplete: 3 },
  );
  expect(problems.join('; ')).toContain('its version is 9.1.0');
  expect(problems.join('; ')).toContain('_doRequest no longer holds');
  expect(problems.join('; ')).toContain('slots are 2, 4, 3');
});
