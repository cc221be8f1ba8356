import type { KeyObject } from 'node:crypto';
import { type FileSchema, parsePolicy, parsePublicKey, parseYamlAs } from '../certification/index.js';
import { wrongFile } from '../settings/index.js';
import { type Accepted, day, objectOf } from '../typed-schema.js';

const text = { type: 'string', minLength: 1, maxLength: 500 } as const;
const listOf = <const P extends Readonly<Record<string, object>>>(properties: P) => ({
  description: `a list of entries with ${Object.keys(properties).join(', ')} (YYYY-MM-DD for since)`,
  type: 'array' as const,
  items: { ...objectOf(properties), additionalProperties: false },
});
/** Keys that count no longer, each since a day in UTC. */
const revokedSchema = listOf({
  fingerprint: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
  since: day,
  reason: text,
});
/** Certificates that the certifier took back, by their folders below `submissions`. */
const withdrawnSchema = listOf({ submission: text, since: day, reason: text });

/** What the certifier decides. Files come from `read`: the base branch for a check, the folder for the site. Throws SettingsError. */
export function readRules(read: (path: string) => Buffer | null) {
  const policy = read('programme.yaml')?.toString('utf8');
  if (policy === undefined)
    throw wrongFile({ file: 'programme.yaml', expected: 'a repository that "registry init" wrote' }, 'is not there');
  const listIn = <S extends FileSchema>(path: string, schema: S): Accepted<S> =>
    parseYamlAs(read(path)?.toString('utf8') ?? '[]', path, schema);
  return {
    policy: parsePolicy(policy, 'programme.yaml'),
    revoked: listIn('keys/revoked.yaml', revokedSchema),
    withdrawn: listIn('withdrawn.yaml', withdrawnSchema),
    keyOf: (vendor: string): KeyObject | null => {
      const path = `keys/${vendor}.pub.pem`;
      const found = read(path);
      return found === null ? null : parsePublicKey(found, path);
    },
  };
}

export type Rules = ReturnType<typeof readRules>;

/** The entry by which a certificate does not count: its key is revoked since a day before the run. */
export function revocationOf({ revoked }: Rules, signer: string | null, started: string) {
  return revoked.find((one) => one.fingerprint === signer && started.slice(0, 10) >= one.since);
}
