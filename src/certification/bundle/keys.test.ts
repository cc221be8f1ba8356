import { expect, test } from '@playwright/test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateKey, readPublicKey, writeKeyPair } from './keys.js';
import { scratch } from '../../folder.test-kit.js';

test('a key pair is written once, the private half for its owner alone', () => {
  using place = scratch();
  const prefix = join(place.folder, 'vendor');
  const made = writeKeyPair(prefix);
  expect(statSync(made.privateFile).mode & 0o777).toBe(0o600);
  expect(readPrivateKey(made.privateFile).asymmetricKeyType).toBe('ed25519');
  expect(readPublicKey(made.publicFile, '--key').type).toBe('public');
  expect(() => readPublicKey(made.privateFile, '--signer')).toThrow(/^--signer names .* holds a private key/);
  expect(() => readPrivateKey(made.publicFile)).toThrow(/holds no usable key/);
  const before = readFileSync(made.privateFile, 'utf8');
  expect(() => writeKeyPair(prefix)).toThrow(/is there already/);
  expect(readFileSync(made.privateFile, 'utf8')).toBe(before);
});
