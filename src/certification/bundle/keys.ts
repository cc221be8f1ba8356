import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode, orSettingsError, SettingsError } from '../../settings/index.js';

/** SHA-256 of a public key in SubjectPublicKeyInfo form: the name by which people compare keys, `sha256:…`. */
export function fingerprint(key: KeyObject): string {
  const open = key.type === 'private' ? createPublicKey(key) : key;
  return `sha256:${createHash('sha256')
    .update(open.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;
}

/** Writes a new Ed25519 pair to `PREFIX.key.pem` (readable by its owner alone) and `PREFIX.pub.pem`; throws SettingsError, also where either is there. */
export function writeKeyPair(prefix: string): {
  readonly privateFile: string;
  readonly publicFile: string;
  readonly fingerprint: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const files = [
    { name: `${prefix}.key.pem`, text: privateKey.export({ type: 'pkcs8', format: 'pem' }), mode: 0o600 },
    { name: `${prefix}.pub.pem`, text: publicKey.export({ type: 'spki', format: 'pem' }), mode: 0o644 },
  ];
  const made: string[] = [];
  for (const { name, text, mode } of files) {
    try {
      writeFileSync(name, text, { mode, flag: 'wx' });
      made.push(name);
    } catch (error) {
      for (const other of made) rmSync(other);
      const code = errorCode(error);
      throw new SettingsError(
        `--out leads to ${name}, which ${code === 'EEXIST' ? 'is there already' : `cannot be written (${code})`}: expected a prefix for two new files.`,
      );
    }
  }
  return { privateFile: `${prefix}.key.pem`, publicFile: `${prefix}.pub.pem`, fingerprint: fingerprint(publicKey) };
}

/** The key in a PEM file; `named` begins the sentence of the SettingsError that it throws, such as `--key names FILE`. */
function parseKey(text: Buffer, kind: 'private' | 'public', named: string): KeyObject {
  const expected = expectedKey(kind);
  if (kind === 'public' && text.includes('PRIVATE KEY'))
    throw new SettingsError(`${named}, which holds a private key: ${expected}; never hand a private one over.`);
  let key: KeyObject;
  try {
    key = kind === 'private' ? createPrivateKey(text) : createPublicKey(text);
  } catch {
    throw new SettingsError(`${named}, which holds no usable key: ${expected}.`);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new SettingsError(
      `${named}, which holds a key for ${key.asymmetricKeyType ?? 'something else'}: ${expected}.`,
    );
  return key;
}

const expectedKey = (kind: 'private' | 'public'): string =>
  `expected an Ed25519 ${kind} key as PEM, such as keygen writes`;

function readKey(file: string, kind: 'private' | 'public', flag: string): KeyObject {
  const text = orSettingsError(
    () => readFileSync(file),
    (code) => `${flag} names ${file}, which cannot be read (${code}): ${expectedKey(kind)}.`,
  );
  return parseKey(text, kind, `${flag} names ${file}`);
}

/** Reads the private key that signs; throws SettingsError. */
export const readPrivateKey = (file: string): KeyObject => readKey(file, 'private', '--key');

/** Reads the public key that a flag names; throws SettingsError. */
export const readPublicKey = (file: string, flag: '--key' | '--signer'): KeyObject => readKey(file, 'public', flag);

/** The public key in the content of a PEM file; throws SettingsError. */
export const parsePublicKey = (text: Buffer, named: string): KeyObject => parseKey(text, 'public', named);
