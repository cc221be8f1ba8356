import { renameSync, writeFileSync } from 'node:fs';

/** A file appears whole or not at all. */
export function writeWhole(file: string, text: string | Buffer): void {
  const part = `${file}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}
