import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/**
 * Creates a folder and its missing parents; throws as `mkdirSync` does. Node's `recursive` loops forever where the system reports an
 * existing parent as missing, as in /proc.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder);
    } catch (error) {
      if (!isThere(error)) throw error;
    }
  }
  if (!statSync(path).isDirectory()) mkdirSync(path);
}
