import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinPacks, type Catalogue, type NamedPack, type Pack } from './requirement/pack.js';
import { readPack } from './requirement/read-pack.js';
import { SettingsError } from './settings/settings-error.js';

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The version of the npm package that a file belongs to. */
function packageVersion(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (!isFile(join(folder, 'package.json'))) continue;
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    // A package.json without a name only says how its folder is read.
    if (typeof name === 'string') return typeof version === 'string' ? version : undefined;
  }
  return undefined;
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Digest of a module and of all that it imports by a relative path: the same for a checkout and an installed package. */
function codeDigest(entry: string): string {
  const digests = new Map<string, string>();
  const visit = (file: string): void => {
    const name = relative(dirname(entry), file).replaceAll('\\', '/');
    if (digests.has(name) || !isFile(file)) return;
    const content = readFileSync(file);
    digests.set(name, sha256(content));
    for (const [, path = ''] of content.toString().matchAll(/(?:from|import)[\s(]*["'](\.[^"']+)["']/g))
      visit(resolve(dirname(file), path));
  };
  visit(entry);
  return `sha256:${sha256(JSON.stringify([...digests].sort()))}`;
}

async function importPack(given: string): Promise<{ readonly pack: Pack; readonly named: NamedPack }> {
  try {
    const path = resolve(given);
    const isPackage = !given.startsWith('.') && !isAbsolute(given) && !isFile(path);
    const file = isPackage ? createRequire(join(process.cwd(), 'packs.js')).resolve(given) : path;
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    const pack = readPack(module.default);
    const version = isPackage ? packageVersion(file) : pack.version;
    const named = { name: pack.name, ...(version === undefined ? {} : { version }), digest: codeDigest(file) };
    return { pack, named };
  } catch (error) {
    const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SettingsError(
      `PACKS names "${given}", which cannot be used (${said}): expected a file such as ./our-pack.js, or an npm package that is installed here, that exports a pack by default.`,
    );
  }
}

/** The suite's own requirements, then those of the packs with these names, comma-separated, and of `more`. Throws SettingsError. */
export async function loadPacks(given = '', more: readonly Pack[] = []): Promise<Catalogue> {
  const { suitePack } = await import('./suite-pack.js');
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const loaded = await Promise.all(names.map(importPack));
  try {
    const joined = joinPacks([suitePack, ...loaded.map(({ pack }) => pack), ...more.map(readPack)]);
    return { ...joined, packs: loaded.map(({ named }) => named) };
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error));
  }
}
