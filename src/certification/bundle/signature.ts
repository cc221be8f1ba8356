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

/** Signs a manifest with Ed25519; hands back the signature file. */
export async function signManifest(manifest: Buffer, privateKey: KeyObject): Promise<Buffer> {
  const { crv, kty, x } = await exportJWK(createPublicKey(privateKey));
  const jws = await new GeneralSign(manifest)
    .addSignature(privateKey)
    .setProtectedHeader({ alg: 'Ed25519', typ: type, kid: fingerprint(privateKey), jwk: { kty, crv, x } as JWK })
    .sign();
  return spell({
    signatures: jws.signatures.map((one) => ({ protected: one.protected ?? '', signature: one.signature })),
  });
}

/** The content of a signature file: the fingerprint of the signing key, or the error. */
export type SignatureCheck =
  | { readonly ok: true; readonly fingerprint: string }
  | { readonly ok: false; readonly problem: string; readonly isOtherKey: boolean };

function isBase64Url(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^[A-Za-z0-9_-]+$/.test(text) &&
    Buffer.from(text, 'base64url').toString('base64url') === text
  );
}

/** Checks the signature file over the manifest's exact bytes; with `trusted` no other key counts, else the one that the file names. */
export async function checkSignature(
  manifest: Buffer,
  file: Buffer,
  trusted: KeyObject | null,
): Promise<SignatureCheck> {
  const bad = (problem: string): SignatureCheck => ({ ok: false, problem, isOtherKey: false });
  let jws: DetachedJws;
  let key: KeyObject;
  try {
    jws = JSON.parse(file.toString('utf8')) as DetachedJws;
    const [only, ...more] = jws.signatures;
    if (only === undefined || more.length > 0) return bad('it does not hold exactly one signature');
    if (!isBase64Url(only.protected) || !isBase64Url(only.signature) || !spell(jws).equals(file))
      return bad('it is not spelled as this suite writes it');
    const header = decodeProtectedHeader({ ...only, payload: '' });
    if (!algorithms.includes(header.alg ?? '') || header.typ !== type || header.jwk === undefined)
      return bad('its header is not that of a signed manifest');
    key = createPublicKey({ key: header.jwk as Record<string, string>, format: 'jwk' });
    if (key.asymmetricKeyType !== 'ed25519' || header.kid !== fingerprint(key))
      return bad('its header does not name the key that it carries');
  } catch {
    return bad('it is no JWS');
  }
  try {
    await generalVerify({ payload: manifest.toString('base64url'), signatures: [...jws.signatures] }, key, {
      algorithms,
    });
  } catch {
    return bad('it does not fit manifest.json: one of the two was changed');
  }
  if (trusted !== null && fingerprint(trusted) !== fingerprint(key))
    return {
      ok: false,
      problem: `it was made with another key (${fingerprint(key)}) than the trusted one (${fingerprint(trusted)})`,
      isOtherKey: true,
    };
  return { ok: true, fingerprint: fingerprint(key) };
}
