import { SettingsError } from '../../settings/index.js';
import { version } from '../../version.js';

/** Validates a certifier's nonce; throws SettingsError. */
export function readNonce(text: string | null): string | null {
  if (text !== null && !/^[A-Za-z0-9._~-]{8,128}$/.test(text))
    throw new SettingsError(
      `--nonce is "${text.replace(/[^ -~]/g, '?').slice(0, 140)}": expected 8 to 128 letters, digits, ".", "_", "~" or "-", as the certifier gave them.`,
    );
  return text;
}

/** The User-Agent of a run; a nonce in it lets the target's own logs bear witness to the run. */
export function userAgentWith(nonce: string | null): string {
  return `dealership-conformance/${version}${nonce === null ? '' : ` (nonce=${nonce})`}`;
}
