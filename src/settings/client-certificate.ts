import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { orSettingsError } from './file-error.js';
import { SettingsError } from './settings-error.js';

/** The client certificate in the files of CLIENT_CERT and CLIENT_KEY, or null where neither is set; throws SettingsError. */
export function readClientCertificate(
  certFile: string | null,
  keyFile: string | null,
): { readonly cert: Buffer; readonly key: Buffer } | null {
  if (certFile === null && keyFile === null) return null;
  const read = (name: string, file: string | null): Buffer => {
    if (file === null)
      throw new SettingsError(`${name} is not set: expected both CLIENT_CERT and CLIENT_KEY, or neither.`);
    return orSettingsError(
      () => readFileSync(file),
      (code) => `${name} names ${file}, which cannot be read (${code}): expected a PEM file.`,
    );
  };
  const pair = { cert: read('CLIENT_CERT', certFile), key: read('CLIENT_KEY', keyFile) };
  orSettingsError(
    () => createSecureContext(pair),
    () =>
      `CLIENT_CERT (${certFile ?? ''}) and CLIENT_KEY (${keyFile ?? ''}) cannot be used: expected a certificate and its own private key as PEM, the key without a passphrase.`,
  );
  return pair;
}
