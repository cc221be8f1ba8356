import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { mutatedKeys } from './bad-credentials.js';

const spoilt = (key: string): string[] =>
  mutatedKeys(key, 'unknown').map(({ authorization }) => authorization.slice('Bearer '.length));

const bytes = fc.uint8Array({ minLength: 8, maxLength: 64 }).map((some) => Buffer.from(some));

test('no spoilt key is the same key where keys are decoded before they are compared', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom('base64url', 'base64', 'hex'), (secret, encoding) => {
      const key = secret.toString(encoding);
      // Characters outside the alphabet have to be refused (RFC 4648 §3.3), though this decoder would skip them.
      const alphabet = encoding === 'hex' ? /^[0-9a-f]+$/ : /^[\w+/-]+=*$/;
      const legal = spoilt(key).filter((one) => alphabet.test(one));
      return legal.every((one) => !Buffer.from(one, encoding).equals(secret));
    }),
    { numRuns: 500 },
  );
});

test('the description of a damaged key is the same for every key, so that another key can grade a run again', () => {
  const labelsOf = (key: string): string[] => mutatedKeys(key, 'unknown').map(({ name }) => name);
  const usual = labelsOf('dk_live_0123456789abcdef');
  for (const key of [
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'QUJDREVGRw==',
    'abcdefghijklmnop',
    'eyJhbGciOiJIUzI1NiJ9.e30.zz_-',
  ])
    expect(labelsOf(key)).toEqual(usual);
});

test('a spoilt key differs from the key by more than the case of a letter', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_.-]{8,60}$/), (key) => {
      return spoilt(key).every((one) => one.toLowerCase() !== key.toLowerCase());
    }),
  );
});

test('what stands in place of the last character of a key in base32 differs in its highest bit', () => {
  for (const [alphabet, high] of [
    ['abcdefghijklmnopqrstuvwxyz234567', 16],
    ['0123456789abcdefghijklmnopqrstuv', 16],
    ['0123456789ABCDEFGHJKMNPQRSTVWXYZ', 16],
  ] as const) {
    for (const [value, last] of Array.from(alphabet).entries()) {
      const key = `${alphabet.slice(0, 20)}${last}`;
      const put = spoilt(key).find((one) => one.length === key.length && one.startsWith(key.slice(0, -1)));
      const now = alphabet.indexOf(put?.at(-1) ?? '');
      const folded = now >= 0 ? now : alphabet.toLowerCase().indexOf(put?.at(-1)?.toLowerCase() ?? '');
      if (folded >= 0) expect((folded & high) !== (value & high), `${last} and ${put?.at(-1)}`).toBe(true);
    }
  }
});
