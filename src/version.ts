import { readFileSync } from 'node:fs';

function readVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        name?: unknown;
        version?: unknown;
      };
      if (found.name === 'dealership-conformance' && typeof found.version === 'string') return found.version;
    } catch {
      // The compiled file is one folder deeper than its source, so the next folder is tried.
    }
  }
  return '0.0.0';
}

/** The suite's version, from its package.json. */
export const version: string = readVersion();
