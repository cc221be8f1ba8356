import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../version.js';
import { parseYamlAs } from './yaml-file.js';

const schema = {
  description: 'a digest for each version',
  type: 'object',
  additionalProperties: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
} as const;

/** Digest by version of what was published up to this release, from `releases.yaml`. */
export function officialBuilds(): Readonly<Record<string, string>> {
  const file = join(packageRoot, 'releases.yaml');
  return parseYamlAs(readFileSync(file, 'utf8'), file, schema) as Record<string, string>;
}

/** What a suite is, in words: `the official build of 1.2.3`, or that nobody published it. */
export function buildText(
  { version, packed }: { readonly version: string; readonly packed: string },
  builds = officialBuilds(),
): string {
  if (builds[version] === packed) return `the official build of ${version}`;
  return builds[version] === undefined
    ? `${version}, which is not among the published versions that this suite knows`
    : `calls itself ${version}, and is not the build that was published`;
}
