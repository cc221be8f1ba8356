import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { orSettingsError } from './file-error.js';
import type { SettingName } from './setting-table.js';
import { SettingsError } from './settings-error.js';

function readPem(name: SettingName, file: string): Buffer {
  return orSettingsError(
    () => readFileSync(file),
    (code) => `${name} names ${file}, which cannot be read (${code}): expected a PEM file.`,
  );
}

/** The client certificate in the files of CLIENT_CERT and CLIENT_KEY; throws SettingsError. */
function readClientCertificate(certFile: string | null, keyFile: string | null): { cert?: Buffer; key?: Buffer } {
  if (certFile === null && keyFile === null) return {};
  const read = (name: 'CLIENT_CERT' | 'CLIENT_KEY', file: string | null): Buffer => {
    if (file === null)
      throw new SettingsError(`${name} is not set: expected both CLIENT_CERT and CLIENT_KEY, or neither.`);
    return readPem(name, file);
  };
  const pair = { cert: read('CLIENT_CERT', certFile), key: read('CLIENT_KEY', keyFile) };
  orSettingsError(
    () => tls.createSecureContext(pair),
    () =>
      `CLIENT_CERT (${certFile ?? ''}) and CLIENT_KEY (${keyFile ?? ''}) cannot be used: expected a certificate and its own private key as PEM, the key without a passphrase.`,
  );
  return pair;
}

/** The authorities that Node trusts by itself: those that a context names take their place. */
function usualAuthorities(): readonly string[] {
  // Node 22.15 and later list all of them, those of the system included where that was asked for.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  try {
    return [...tls.rootCertificates, readFileSync(process.env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')];
  } catch {
    // Node itself goes on without a file that it cannot read.
    return tls.rootCertificates;
  }
}

/** The usual authorities and those in the file of CA; throws SettingsError. */
function readAuthorities(file: string): string[] {
  const text = readPem('CA', file).toString('latin1');
  const found = text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----[^]*?-----END \1?CERTIFICATE-----/g) ?? [];
  const sentence = `CA names ${file}, which holds no certificate that can be read: expected a PEM file with the certificates of the authorities.`;
  if (found.length === 0) throw new SettingsError(sentence);
  orSettingsError(
    () => found.map((one) => new X509Certificate(one)),
    () => sentence,
  );
  return [...usualAuthorities(), ...found];
}

/** What TLS connections present and trust, made once as it takes milliseconds; null where the settings name nothing. Throws SettingsError. */
export function readTlsContext(files: {
  readonly cert: string | null;
  readonly key: string | null;
  readonly ca: string | null;
}): tls.SecureContext | null {
  const pair = readClientCertificate(files.cert, files.key);
  if (pair.cert === undefined && files.ca === null) return null;
  return tls.createSecureContext({ ...pair, ...(files.ca === null ? {} : { ca: readAuthorities(files.ca) }) });
}
