import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample, writeOutput, wrongFile } from '../../settings/index.js';

/** In a git repository that does not ignore `.env` yet, adds it to the folder's .gitignore. The sentence that says so, or null. */
function keepFromGit(folder: string): string | null {
  if (spawnSync('git', ['-C', folder, 'check-ignore', '--quiet', '.env']).status !== 1) return null;
  const file = join(folder, '.gitignore');
  try {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
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
