import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let known: string | null = null;

function rootOf(file: string): { root: string; ending: string } {
  const ending = file.endsWith('.ts') ? '.ts' : '.js';
  // src/certification/x.ts is two folders below the source root, dist/src/certification/x.js two below the package root.
  return { root: join(dirname(file), '..', '..'), ending };
}

/** The code files that package.json leaves out of the package. */
const leftOut = /\.test\.|test-kit/;

/** The files of code below `root` that a package holds, too, sorted. */
export function packedCode(root: string, ending: string): string[] {
  return ['src', 'specs', 'load']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts') && !leftOut.test(name))
    .sort();
}

/** Digest of the suite's own code as it runs here, and of the versions that it asks of its libraries; the same for every copy of one release. */
export function suiteDigest(): string {
  if (known !== null) return known;
  const { root, ending } = rootOf(fileURLToPath(import.meta.url));
  const hash = createHash('sha256');
  for (const name of packedCode(root, ending)) {
    hash.update(
      `${name}\0${createHash('sha256')
        .update(readFileSync(join(root, name)))
        .digest('hex')}\n`,
    );
  }
  const description = [join(root, 'package.json'), join(root, '..', 'package.json')].find((file) => existsSync(file));
  if (description !== undefined) {
    const { version, dependencies } = JSON.parse(readFileSync(description, 'utf8')) as {
      version?: unknown;
      dependencies?: unknown;
    };
    hash.update(JSON.stringify([version, dependencies]));
  }
  known = `sha256:${hash.digest('hex')}`;
  return known;
}
