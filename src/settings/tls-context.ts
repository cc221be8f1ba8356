import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import type { SettingName } from './setting-table.js';
import { SettingsError } from './settings-error.js';
import { type InputFile, readInput, wrongFile } from './wrong-input.js';

const pem = (by: SettingName, file: string, expected = 'a PEM file'): InputFile => ({ by, file, expected });

/** The client certificate in the files of CLIENT_CERT and CLIENT_KEY; throws SettingsError. */
function readClientCertificate(certFile: string | null, keyFile: string | null): { cert?: Buffer; key?: Buffer } {
  if (certFile === null && keyFile === null) return {};
  const read = (name: 'CLIENT_CERT' | 'CLIENT_KEY', file: string | null): Buffer => {
    if (file === null)
      throw new SettingsError(`${name} is not set: expected both CLIENT_CERT and CLIENT_KEY, or neither.`);
    return readInput(pem(name, file));
  };
  const pair = { cert: read('CLIENT_CERT', certFile), key: read('CLIENT_KEY', keyFile) };
  try {
    tls.createSecureContext(pair);
  } catch {
    const expected = 'a certificate and in CLIENT_KEY its own private key, as PEM, the key without a passphrase';
    throw wrongFile(pem('CLIENT_CERT', certFile ?? '', expected), 'cannot be used with CLIENT_KEY');
  }
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
  const input = pem('CA', file, 'a PEM file with the certificates of the authorities');
  const text = readInput(input).toString('latin1');
  const found = text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----[^]*?-----END \1?CERTIFICATE-----/g) ?? [];
  try {
    for (const one of found) new X509Certificate(one);
  } catch {
    found.length = 0;
  }
  if (found.length === 0) throw wrongFile(input, 'holds no certificate that can be read');
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
