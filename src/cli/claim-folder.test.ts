import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { claimFolder } from './claim-folder.js';

test('a folder that a living run has claimed is refused, and one that a killed run left is not', () => {
  const out = mkdtempSync(join(tmpdir(), 'claim-'));
  try {
    writeFileSync(join(out, '.running'), String(process.ppid));
    expect(() => claimFolder(out)).toThrow(
      `--out names "${out}", and another run (process ${process.ppid}) writes there: wait until it ends, or name another folder`,
    );
    // No process has so large a number.
    writeFileSync(join(out, '.running'), '999999999');
    claimFolder(out);
  } finally {
    rmSync(out, { recursive: true });
  }
});
