import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinPacks, type Catalogue, type Pack } from './requirement/pack.js';
import { readPack } from './requirement/read-pack.js';
import { SettingsError } from './settings/settings-error.js';

async function importPack(file: string): Promise<Pack> {
  try {
    const module = (await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown };
    return readPack(module.default);
  } catch (error) {
    const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new SettingsError(
      `PACKS names "${file}", which cannot be used (${said}): expected a module that exports a pack by default.`,
    );
  }
}

/** The suite's own requirements, then those of the packs in these files, comma-separated, and of `more`. Throws SettingsError. */
export async function loadPacks(files = '', more: readonly Pack[] = []): Promise<Catalogue> {
  const { suitePack } = await import('./suite-pack.js');
  const names = files
    .split(',')
    .map((file) => file.trim())
    .filter(Boolean);
  const named = await Promise.all(names.map(importPack));
  try {
    return joinPacks([suitePack, ...named, ...more.map(readPack)]);
  } catch (error) {
    throw new SettingsError(error instanceof Error ? error.message : String(error));
  }
}
