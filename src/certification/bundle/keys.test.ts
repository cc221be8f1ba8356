import { expect, test } from '@playwright/test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readKey, writeKeyPair } from './keys.js';
import { scratch } from '../../folder.test-kit.js';

test('a key pair is written once, the private half for its owner alone', () => {
  using place = scratch();
  const prefix = join(place.folder, 'vendor');
  const made = writeKeyPair(prefix);
  expect(statSync(made.privateFile).mode & 0o777).toBe(0o600);
  expect(readKey(made.privateFile, 'private').asymmetricKeyType).toBe('ed25519');
  expect(readKey(made.publicFile, 'public').type).toBe('public');
  expect(() => readKey(made.privateFile, 'public')).toThrow(/^--key names .* holds a private key/);
  expect(() => readKey(made.publicFile, 'private')).toThrow(/holds no usable key/);
  const before = readFileSync(made.privateFile, 'utf8');
  expect(() => writeKeyPair(prefix)).toThrow(/is there already/);
  expect(readFileSync(made.privateFile, 'utf8')).toBe(before);
});
