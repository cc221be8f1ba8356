import { expect, test } from '@playwright/test';
import { percentEncode } from './percent-encode.js';

test('half a surrogate pair in an id is sent as the replacement character', () => {
  expect(percentEncode('a\ud800/é')).toBe('a%EF%BF%BD%2F%C3%A9');
  expect(percentEncode('\u{1f697}')).toBe('%F0%9F%9A%97');
});
