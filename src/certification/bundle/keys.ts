import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { type InputFile, readInput, writeOutput, wrongFile } from '../../settings/index.js';

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
  const expected = 'the prefix of two new files';
  for (const { name } of files)
    if (existsSync(name)) throw wrongFile({ file: name, by: '--out', expected }, 'is there already');
  for (const { name, text, mode } of files)
    writeOutput('--out', name, 'file', () => writeFileSync(name, text, { mode, flag: 'wx' }));
  return { privateFile: `${prefix}.key.pem`, publicFile: `${prefix}.pub.pem`, fingerprint: fingerprint(publicKey) };
}

/** The public or private key in the content of a PEM file; throws SettingsError. */
function parseKey(text: Buffer, kind: 'private' | 'public', named: Pick<InputFile, 'file' | 'by'>): KeyObject {
  const wrong = (found: string): Error =>
    wrongFile({ ...named, expected: `an Ed25519 ${kind} key as PEM, such as keygen writes` }, found);
  if (kind === 'public' && text.includes('PRIVATE KEY'))
    throw wrong('holds a private key, which is never to be handed over');
  let key: KeyObject;
  try {
    key = kind === 'private' ? createPrivateKey(text) : createPublicKey(text);
  } catch {
    throw wrong('holds no usable key');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw wrong(`holds a key for ${key.asymmetricKeyType ?? 'something else'}`);
  return key;
}

/** Reads the key that `--key` names: the private one that signs, or a public one. Throws SettingsError. */
export function readKey(file: string, kind: 'private' | 'public'): KeyObject {
  const named = { file, by: '--key' };
  return parseKey(readInput({ ...named, expected: `an Ed25519 ${kind} key as PEM` }), kind, named);
}

/** The public key in the content of a PEM file; throws SettingsError. */
export const parsePublicKey = (text: Buffer, file: string): KeyObject => parseKey(text, 'public', { file });
