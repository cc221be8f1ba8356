import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { fingerprint } from './keys.js';

/** The signature file: a general JWS (RFC 7515) with one signature, whose payload, the manifest, stands beside it (appendix F). */
interface DetachedJws {
  readonly signatures: readonly [{ readonly protected: string; readonly signature: string }];
}

const type = 'dealership-conformance-manifest+jws';
/** The name of RFC 9864, which signs; bundles of version 0.1 have the older one of RFC 8037. */
const algorithms: readonly unknown[] = ['Ed25519', 'EdDSA'];

/** One spelling only, so that no byte of the file can be changed and mean the same. */
function spell({ signatures: [one] }: DetachedJws): Buffer {
  const signatures = [{ protected: one.protected, signature: one.signature }];
  return Buffer.from(`${JSON.stringify({ signatures }, null, 2)}\n`);
}

/** The signed bytes (RFC 7515, section 5.1). */
const signingInput = (header: string, payload: Buffer): Buffer =>
  Buffer.from(`${header}.${payload.toString('base64url')}`);

/** The signature file of a manifest (Ed25519). */
export function signManifest(manifest: Buffer, privateKey: KeyObject): Buffer {
  const { crv, kty, x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const header = { alg: 'Ed25519', typ: type, kid: fingerprint(privateKey), jwk: { kty, crv, x } };
  const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
  const signature = sign(null, signingInput(encoded, manifest), privateKey).toString('base64url');
  return spell({ signatures: [{ protected: encoded, signature }] });
}

function isBase64Url(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^[A-Za-z0-9_-]+$/.test(text) &&
    Buffer.from(text, 'base64url').toString('base64url') === text
  );
}

/** Checks the signature over the manifest's exact bytes: the key that its header carries, by its fingerprint, or the error. */
export function checkSignature(manifest: Buffer, file: Buffer): { readonly signer: string } | string {
  let one: DetachedJws['signatures'][0];
  let key: KeyObject;
  try {
    const jws = JSON.parse(file.toString('utf8')) as DetachedJws;
    [one] = jws.signatures;
    if (!isBase64Url(one.protected) || !isBase64Url(one.signature) || !spell(jws).equals(file))
      return 'it is not spelled as this suite writes it';
    const header = JSON.parse(Buffer.from(one.protected, 'base64url').toString('utf8')) as Record<string, unknown>;
    if (!algorithms.includes(header['alg']) || header['typ'] !== type)
      return 'its header is not that of a signed manifest';
    key = createPublicKey({ key: header['jwk'] as Record<string, string>, format: 'jwk' });
    if (key.asymmetricKeyType !== 'ed25519' || header['kid'] !== fingerprint(key))
      return 'its header does not name the key that it carries';
  } catch {
    return 'it is no JWS';
  }
  if (!verify(null, signingInput(one.protected, manifest), key, Buffer.from(one.signature, 'base64url')))
    return 'it does not fit manifest.json: one of the two was changed';
  return { signer: fingerprint(key) };
}
