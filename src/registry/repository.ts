import { execFileSync } from 'node:child_process';
import { errorCode, orSettingsError, SettingsError } from '../settings/index.js';

/** A file of a commit; `bytes` is null where there is no content, as of a submodule. */
export interface TreeFile {
  readonly path: string;
  readonly kind: 'file' | 'symbolic link' | 'submodule';
  readonly blob: string;
  readonly bytes: number | null;
}

const kinds: Readonly<Record<string, TreeFile['kind']>> = { '120000': 'symbolic link', '160000': 'submodule' };
const mostSmallBytes = 256 * 1024;
/** Of names: a few trees that hold each other can stand for any number of files. */
const mostListBytes = 1 << 24;

/** Reads commits of the git repository of a folder: never its working tree, which links may lead out of and filters may change. */
export function openRepository(folder: string) {
  const git = (args: readonly string[], maxBuffer = mostListBytes): Buffer => {
    try {
      return execFileSync('git', ['-C', folder, '--literal-pathspecs', ...args], {
        maxBuffer,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, GIT_NO_REPLACE_OBJECTS: '1' },
      });
    } catch (error) {
      if (errorCode(error) !== 'ENOBUFS') throw error;
      throw new SettingsError('The commit has more files than can be judged: expected those of one submission.');
    }
  };
  const textOf = (args: readonly string[]): string => git(args).toString('utf8').trim();
  const list = (bytes: Buffer): string[] => bytes.toString('utf8').split('\0').filter(Boolean);
  const filesIn = (commit: string, path: string): TreeFile[] =>
    list(git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', path])).map((line) => {
      const [, mode = '', blob = '', bytes = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t([^]*)$/.exec(line) ?? [];
      return { path: name, kind: kinds[mode] ?? 'file', blob, bytes: bytes === '-' ? null : Number(bytes) };
    });
  const read = ({ blob, bytes }: TreeFile): Buffer => git(['cat-file', 'blob', blob], (bytes ?? 0) + 1);
  return {
    filesIn,
    read,
    /** The commit of a name; throws SettingsError. */
    commitOf: (name: string): string =>
      orSettingsError(
        () => textOf(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]),
        (code) =>
          code === 'ENOENT'
            ? 'git cannot be run: expected it on this machine, as submissions are read from commits.'
            : `"${name.replace(/[^ -~]/g, '?')}" is no commit here: expected a checkout of the registry of your own user with its history (fetch-depth: 0), and the name of a branch, such as origin/main.`,
      ),
    /** Paths that differ between the last commit that both have and `to`; throws SettingsError. */
    changes: (from: string, to: string): readonly string[] => {
      const base = orSettingsError(
        () => textOf(['merge-base', from, to]),
        () =>
          'the base and this checkout have no commit in common: expected a checkout with its history (fetch-depth: 0).',
      );
      // It streams, and so ends at the bound; a difference is held as a whole before the first name is written.
      git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', to]);
      return list(git(['diff-tree', '-r', '-z', '--no-renames', '--ignore-submodules=none', '--name-only', base, to]));
    },
    /** The content of a small plain file, null where there is none. */
    readAt: (commit: string, path: string): Buffer | null => {
      const [file] = filesIn(commit, path);
      const isSmall = file?.path === path && file.kind === 'file' && (file.bytes ?? Infinity) <= mostSmallBytes;
      return file !== undefined && isSmall ? read(file) : null;
    },
  };
}

export type Repository = ReturnType<typeof openRepository>;
