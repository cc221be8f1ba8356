import type { KeyObject } from 'node:crypto';
import { day, objectOf, parsePolicy, parsePublicKey, parseYamlAs, type Policy } from '../certification/index.js';
import { wrongFile } from '../settings/index.js';

/** A key that counts no longer; `since` is a day in UTC. */
interface Revoked {
  readonly fingerprint: string;
  readonly since: string;
  readonly reason: string;
}

/** A certificate that the certifier took back: `submission` is a folder below `submissions`. */
interface Withdrawn {
  readonly submission: string;
  readonly since: string;
  readonly reason: string;
}

/** What the certifier decides. Files come from `read`: the base branch for a check, the folder for the site. */
export interface Rules {
  readonly policy: Policy;
  readonly revoked: readonly Revoked[];
  readonly withdrawn: readonly Withdrawn[];
  keyOf(vendor: string): KeyObject | null;
}

const text = { type: 'string', minLength: 1, maxLength: 500 };
const listOf = (properties: Readonly<Record<string, object>>): { description: string } & Record<string, unknown> => ({
  description: `a list of entries with ${Object.keys(properties).join(', ')} (YYYY-MM-DD for since)`,
  type: 'array',
  items: { ...objectOf(properties), additionalProperties: false },
});
const revokedSchema = listOf({
  fingerprint: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
  since: day,
  reason: text,
});
const withdrawnSchema = listOf({ submission: text, since: day, reason: text });

/** Reads the rules; throws SettingsError. */
export function readRules(read: (path: string) => Buffer | null): Rules {
  const policy = read('programme.yaml')?.toString('utf8');
  if (policy === undefined)
    throw wrongFile({ file: 'programme.yaml', expected: 'a repository that "registry init" wrote' }, 'is not there');
  const listIn = (path: string, schema: { description: string }): unknown =>
    parseYamlAs(read(path)?.toString('utf8') ?? '[]', path, schema);
  return {
    policy: parsePolicy(policy, 'programme.yaml'),
    revoked: listIn('keys/revoked.yaml', revokedSchema) as readonly Revoked[],
    withdrawn: listIn('withdrawn.yaml', withdrawnSchema) as readonly Withdrawn[],
    keyOf: (vendor) => {
      const path = `keys/${vendor}.pub.pem`;
      const found = read(path);
      return found === null ? null : parsePublicKey(found, path);
    },
  };
}

/** The entry by which a certificate does not count: its key is revoked since a day before the run. */
export function revocationOf({ revoked }: Rules, signer: string | null, started: string): Revoked | undefined {
  return revoked.find((one) => one.fingerprint === signer && started.slice(0, 10) >= one.since);
}
