import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { envExample, writeOutput, wrongFile } from '../../settings/index.js';

/** A line of a .gitignore that keeps `.env` out. */
const ignoresEnv = /^(\.env|\.env\*|\.env\.?\*|\*\.env)\s*$/m;

/** The folders from this one up to the root of its git repository; empty outside of one. */
function foldersInRepository(folder: string): string[] {
  if (existsSync(join(folder, '.git'))) return [folder];
  const above = dirname(folder) === folder ? [] : foldersInRepository(dirname(folder));
  return above.length === 0 ? [] : [folder, ...above];
}

/** In a git repository that does not ignore `.env` yet, adds it to the folder's .gitignore. The sentence that says so, or null. */
function keepFromGit(folder: string): string | null {
  const file = join(folder, '.gitignore');
  const textOf = (name: string): string => (existsSync(name) ? readFileSync(name, 'utf8') : '');
  try {
    const folders = foldersInRepository(resolve(folder));
    const isIgnored = folders.some((one) => ignoresEnv.test(textOf(join(one, '.gitignore'))));
    if (folders.length === 0 || isIgnored || /^\/\.env\s*$/m.test(textOf(file))) return null;
    const text = textOf(file);
    appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}.env\n`);
    return '.env is added to .gitignore, as it will hold secrets.';
  } catch {
    return '.gitignore cannot be written: add .env to it, as it will hold secrets.';
  }
}

/** `init`: writes a `.env` with every setting explained and none set, and keeps it out of git. */
export function init(folder = '.'): number {
  const file = join(folder, '.env');
  if (existsSync(file))
    throw wrongFile({ file, by: 'init', expected: 'a folder without one' }, 'is there already and stays as it is');
  // Secrets will be filled in: the file is for its owner alone.
  writeOutput('init', file, 'file', () => writeFileSync(file, envExample(), { flag: 'wx', mode: 0o600 }));
  process.stdout.write(
    '.env is written: fill in BASE_URL, API_KEY and TENANT, then run "npx dealership-conformance doctor".\n',
  );
  const kept = keepFromGit(folder);
  if (kept !== null) process.stdout.write(`${kept}\n`);
  return 0;
}
