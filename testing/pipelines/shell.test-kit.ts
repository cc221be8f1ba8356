import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Links the package instead of downloading it, and notes its arguments. */
const npm = `#!/bin/bash
printf '%s\\n' "$@" > "$NPM_ARGUMENTS"
[ "$1 $2" = 'install --prefix' ] || exit 1
mkdir -p "$3/node_modules"
ln -sfn "$SUITE_UNDER_TEST" "$3/node_modules/dealership-conformance"
`;

const notes = (folder: string): string => join(folder, 'npm-arguments');

/** The environment in which `npm install --prefix` links this package. */
export function fakeNpm(folder: string, suite: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npm'), npm);
  chmodSync(join(bin, 'npm'), 0o755);
  return {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    NPM_ARGUMENTS: notes(folder),
    SUITE_UNDER_TEST: suite,
  };
}

/** What `npm` was called with last. */
export const npmArguments = (folder: string): string[] => readFileSync(notes(folder), 'utf8').trimEnd().split('\n');

/** Runs a script as the runners of GitHub and GitLab do. */
export function runBash(
  script: string,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly status: number; readonly said: string }> {
  const file = join(cwd, 'step.sh');
  writeFileSync(file, script);
  return new Promise((resolve) =>
    execFile('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], { cwd, env }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code), said: out + err }),
    ),
  );
}
