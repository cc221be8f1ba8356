import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRedactor } from './redactor.js';

const canary = 'sk_canary/"5f+9=Ä'.slice(0, 16);

test('a secret is hidden in every usual encoding', () => {
  const redactor = createRedactor();
  redactor.add('API_KEY', canary);
  const json = JSON.stringify({ canary });
  const padded = ['', 'a', 'ab'].map((before) => Buffer.from(`${before}${canary}tail`).toString('base64'));
  for (const text of [
    canary,
    encodeURIComponent(canary),
    json,
    Buffer.from(canary).toString('hex'),
    ...padded,
    canary.toLowerCase(),
    canary.toUpperCase(),
  ]) {
    expect(redactor.text(`x ${text} y`)).toContain('[redacted:API_KEY]');
  }
  expect(redactor.text('x plain y')).toBe('x plain y');
});

test('bytes that are no UTF-8 come through unchanged around a secret', () => {
  const redactor = createRedactor();
  redactor.add('K', 'longenough');
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('longenough'), Buffer.from([0xc3])]);
  expect(redactor.bytes(bytes)).toEqual(
    Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('[redacted:K]'), Buffer.from([0xc3])]),
  );
});

test('a secret of characters that mean something in an expression is hidden as it stands, and nothing that is like it', () => {
  const redactor = createRedactor();
  expect(redactor.text('nothing is known yet')).toBe('nothing is known yet');
  redactor.add('ODD', '^a.b*[c](d)|$\\e');
  redactor.add('OTHER', '{2,3}-12345');
  expect(redactor.text('x ^a.b*[c](d)|$\\e y {2,3}-12345')).toBe('x [redacted:ODD] y [redacted:OTHER]');
  expect(redactor.text('x ^aXb*[c](d)|$\\e y 22-12345')).toBe('x ^aXb*[c](d)|$\\e y 22-12345');
});

test('a secret is hidden wherever it stands, among texts that begin as it does', () => {
  const letter = fc.constantFrom('a', 'b', 'Ā', 'á');
  const secret = fc.string({ unit: letter, minLength: 8, maxLength: 10 });
  const around = fc.string({ unit: letter, maxLength: 30 });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), around, around, (secrets, before, after) => {
      const redactor = createRedactor();
      for (const [nth, one] of secrets.entries()) redactor.add(`S${nth}`, one);
      const [firstSecret = ''] = secrets;
      const text = before + firstSecret + after;
      const shown = redactor.text(text);
      const clean = secrets.every((one) => !before.includes(one));
      return secrets.every((one) => !shown.includes(one)) && (!clean || redactor.text(before) === before);
    }),
    { numRuns: 2_000 },
  );
});
