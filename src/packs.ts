import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Catalogue, joinPacks, type Pack, readPack } from './requirement/index.js';
import { SettingsError } from './settings/index.js';

async function importPack(given: string): Promise<Pack> {
  try {
    const module = (await import(pathToFileURL(resolve(given)).href)) as { readonly default?: unknown };
    return readPack(module.default);
  } catch (error) {
    const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SettingsError(
      `PACKS names "${given}", which cannot be used (${said}): expected a file such as ./our-pack.js that exports a pack by default.`,
    );
  }
}

/** The suite's own requirements, then those of the packs in these files, comma-separated, and of `more`. Throws SettingsError. */
export async function loadPacks(given = '', more: readonly Pack[] = []): Promise<Catalogue> {
  const { suitePack } = await import('./suite-pack.js');
  const files = given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const loaded = await Promise.all(files.map(importPack));
  try {
    const joined = joinPacks([suitePack, ...loaded, ...more.map(readPack)]);
    return {
      ...joined,
      packs: loaded.map(({ name, version }) => ({ name, ...(version === undefined ? {} : { version }) })),
    };
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error));
  }
}
