import { createPublicKey, type KeyObject } from 'node:crypto';
import { GeneralSign, decodeProtectedHeader, exportJWK, generalVerify, type JWK } from 'jose';
import { fingerprint } from './keys.js';

/** The signature file: a general JWS (RFC 7515) whose payload, the manifest, stands beside it (appendix F). */
interface DetachedJws {
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
}

const type = 'dealership-conformance-manifest+jws';
/** The name of RFC 9864, which signs; bundles of version 0.1 have the older one of RFC 8037. */
const algorithms = ['Ed25519', 'EdDSA'];

/** One spelling only, so that no byte of the file can be changed and mean the same. */
function spell(jws: DetachedJws): Buffer {
  const signatures = jws.signatures.map((one) => ({ protected: one.protected, signature: one.signature }));
  return Buffer.from(`${JSON.stringify({ signatures }, null, 2)}\n`);
}

/** The signature file with one more signature (Ed25519): that of the one who ran the suite, or of one who countersigns at `when` (ISO 8601). */
export async function signManifest(
  manifest: Buffer,
  privateKey: KeyObject,
  earlier?: { readonly file: Buffer; readonly when: string },
): Promise<Buffer> {
  const { crv, kty, x } = await exportJWK(createPublicKey(privateKey));
  const at = earlier === undefined ? {} : { iat: Math.floor(Date.parse(earlier.when) / 1000) };
  const jws = await new GeneralSign(manifest)
    .addSignature(privateKey)
    .setProtectedHeader({
      alg: 'Ed25519',
      typ: type,
      kid: fingerprint(privateKey),
      jwk: { kty, crv, x } as JWK,
      ...at,
    })
    .sign();
  const before = earlier === undefined ? [] : (JSON.parse(earlier.file.toString('utf8')) as DetachedJws).signatures;
  return spell({
    signatures: [
      ...before,
      ...jws.signatures.map((one) => ({ protected: one.protected ?? '', signature: one.signature })),
    ],
  });
}

/** Who signed, the one who ran the suite first; `at` (ISO 8601) is when a countersignature was made, by the clock of who made it. */
export interface Signer {
  readonly fingerprint: string;
  readonly at?: string;
}

function isBase64Url(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^[A-Za-z0-9_-]+$/.test(text) &&
    Buffer.from(text, 'base64url').toString('base64url') === text
  );
}

const mostSignatures = 20;

/** Checks every signature of the file over the manifest's exact bytes: who signed, or the error. Each key is the one that its header carries. */
export async function checkSignatures(manifest: Buffer, file: Buffer): Promise<readonly Signer[] | string> {
  let jws: DetachedJws;
  try {
    jws = JSON.parse(file.toString('utf8')) as DetachedJws;
    if (
      !jws.signatures.every((one) => isBase64Url(one.protected) && isBase64Url(one.signature)) ||
      !spell(jws).equals(file)
    )
      return 'it is not spelled as this suite writes it';
  } catch {
    return 'it is no JWS';
  }
  if (jws.signatures.length === 0 || jws.signatures.length > mostSignatures)
    return `it holds ${jws.signatures.length} signatures: expected 1 to ${mostSignatures}`;
  const signers: Signer[] = [];
  for (const one of jws.signatures) {
    const signer = await checkOne(manifest, one);
    if (typeof signer === 'string') return signer;
    if (signers.some((other) => other.fingerprint === signer.fingerprint)) return 'one key signed it twice';
    signers.push(signer);
  }
  return signers;
}

async function checkOne(manifest: Buffer, one: DetachedJws['signatures'][number]): Promise<Signer | string> {
  let key: KeyObject;
  let iat: unknown;
  try {
    const header = decodeProtectedHeader({ ...one, payload: '' });
    if (!algorithms.includes(header.alg ?? '') || header.typ !== type || header.jwk === undefined)
      return 'its header is not that of a signed manifest';
    key = createPublicKey({ key: header.jwk as Record<string, string>, format: 'jwk' });
    iat = header['iat'];
    if (key.asymmetricKeyType !== 'ed25519' || header.kid !== fingerprint(key))
      return 'its header does not name the key that it carries';
    if (iat !== undefined && !(Number.isSafeInteger(iat) && Math.abs(iat as number) < 1e11))
      return 'its header has no usable time';
  } catch {
    return 'it is no JWS';
  }
  try {
    await generalVerify({ payload: manifest.toString('base64url'), signatures: [one] }, key, { algorithms });
  } catch {
    return 'it does not fit manifest.json: one of the two was changed';
  }
  const at = typeof iat === 'number' ? { at: new Date(iat * 1000).toISOString() } : {};
  return { fingerprint: fingerprint(key), ...at };
}
