import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

let known: string | null = null;

function rootOf(file: string): { root: string; ending: string } {
  const ending = file.endsWith('.ts') ? '.ts' : '.js';
  // src/certification/x.ts lies two folders below the root of sources, dist/src/certification/x.js two below the root of what is packed.
  return { root: join(dirname(file), '..', '..'), ending };
}

function* filesBelow(folder: string): Generator<string> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name));
    else if (entry.isFile()) yield join(folder, entry.name);
  }
}

/** Digest of the suite's own code as it runs here, and of the versions that it asks of its libraries; the same for every copy of one release. */
export function suiteDigest(): string {
  if (known !== null) return known;
  const { root, ending } = rootOf(fileURLToPath(import.meta.url));
  const files = ['src', 'specs', 'load'].flatMap((folder) => [...filesBelow(join(root, folder))]);
  const code = files.filter(
    (file) => file.endsWith(ending) && !file.endsWith('.d.ts') && !/\.test\.[jt]s$|test-kit\.[jt]s$/.test(file),
  );
  const hash = createHash('sha256');
  for (const name of code.map((file) => relative(root, file).replaceAll('\\', '/')).sort()) {
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
