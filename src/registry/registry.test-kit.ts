import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, deflateSync } from 'node:zlib';
import { checks, forge, make, privateKey, type publicKey } from '../certification/bundle/bundle.test-kit.js';
import { parsePolicy } from '../certification/policy.js';
import { checkSubmission, type CheckParts } from './check.js';
import { writeRepository } from './init.js';
import { openRepository } from './repository.js';
import type { Row } from './rows.js';

export const pem = (key: typeof publicKey): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** The files of a submission, and the run that it is of. */
export interface Made {
  readonly folder: string;
  readonly files: Readonly<Record<string, Buffer>>;
}

/** Vendor, product and version. */
type Names = readonly [string, string, string];

/** The text of a `product.yaml`. */
export const productYaml = ([vendor, product, version]: Names, url: string): string =>
  [
    ...[`vendor: '${vendor}'`, `product: '${product}'`, `version: '${version}'`, 'type: service'],
    ...[`urls: { product: 'https://acme.example/', api: ['${url}'] }`, 'contact: api@acme.example', ''],
  ].join('\n');

/** The bundle of a product, made with the policy of a registry. */
export async function makeSubmission(
  folder: string,
  programme: string,
  names: Names,
  options: Parameters<typeof make>[1] = {},
): Promise<Made & { readonly made: Awaited<ReturnType<typeof make>> }> {
  const yaml = (url: string): string => productYaml(names, url);
  const made = await make({}, { product: yaml, policy: parsePolicy(programme, 'programme.yaml'), ...options });
  const files = {
    'product.yaml': Buffer.from(yaml(made.settings.BASE_URL ?? '')),
    'bundle.tar': made.archive,
    'README.md': Buffer.from('How to run it.\n'),
  };
  return { folder: `submissions/v1/${folder}`, files, made };
}

/** The bundle, signed again, with evidence that unpacks to more than 256 MiB. */
export function bomb(archive: Buffer, key = privateKey): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 0 };
  const packed = brotliCompressSync(Buffer.alloc(257 * 1024 ** 2), { params }).toString('latin1');
  const evidence = (names: Iterable<string>): string =>
    [...names].find((name) => /^evidence\/exchanges-/.test(name)) ?? '';
  return forge(archive, (files) => files.set(evidence(files.keys()), packed), undefined, key);
}

/** Works in a git repository that `registry init` wrote into a folder. */
export function openFixture(root: string) {
  if (!existsSync(join(root, 'programme.yaml'))) writeRepository(root);
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.example', '-c', 'core.autocrlf=false', '-c', 'gc.auto=0'];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...who, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const commit = (): void => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A change');
  };
  /** Commits a change to a branch, on one of its own, and hands back what is found there. */
  const propose = async <T>(base: string, change: () => unknown, judge: () => Promise<T>): Promise<T> => {
    git('checkout', '--quiet', '-B', 'submission', base);
    await change();
    if (git('rev-parse', 'HEAD') === git('rev-parse', base)) commit();
    try {
      return await judge();
    } finally {
      git('checkout', '--quiet', '--force', 'main');
      git('clean', '--quiet', '--force', '-d', '-x');
    }
  };
  git('init', '--quiet', '--initial-branch', 'main');
  return {
    git,
    write,
    commit,
    put: ({ folder, files }: Made): void => {
      for (const [name, bytes] of Object.entries(files)) write(`${folder}/${name}`, bytes);
    },
    propose,
    /** Proposes a change, and judges it. */
    submit: (change: () => unknown, more: Partial<CheckParts> = {}): Promise<readonly Row[]> => {
      const base = more.base ?? 'main';
      return propose(base, change, () =>
        checkSubmission({
          repository: openRepository(root),
          base,
          verification: { checks },
          now: new Date(),
          ...more,
        }),
      );
    },
    /** A file of a commit that states 10 GB, and has none. */
    putHuge: (path: string): void => {
      const header = Buffer.from(`blob ${10 * 1024 ** 3}\0`);
      const blob = createHash('sha1').update(header).digest('hex');
      write(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, deflateSync(header));
      git('add', '--all');
      git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
      git('commit', '--quiet', '--message', 'A change');
      rmSync(join(root, path), { force: true });
    },
    /** A symbolic link in place of a file. */
    putLink: (path: string, target: string): void => {
      rmSync(join(root, path));
      symlinkSync(target, join(root, path));
    },
  };
}

/** A policy for runs of the sample checks. */
export const programmeOf = (root: string): string =>
  readFileSync(join(root, 'programme.yaml'), 'utf8').replace('[Core]', '[Demo]');
