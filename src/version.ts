import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function readPackage(): { readonly root: string; readonly version: string } {
  for (const up of ['..', '../..']) {
    try {
      const root = fileURLToPath(new URL(up, import.meta.url));
      const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Record<string, unknown>;
      if (name === 'dealership-conformance' && typeof version === 'string') return { root, version };
    } catch {
      // The compiled file is one folder deeper than its source, so the next folder is tried.
    }
  }
  return { root: fileURLToPath(new URL('..', import.meta.url)), version: '0.0.0' };
}

/** The folder of the suite's package.json, and its version. */
export const { root: packageRoot, version } = readPackage();
