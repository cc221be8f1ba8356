import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../settings/file-error.js';

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
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  if (!statSync(path).isDirectory()) mkdirSync(path);
}
