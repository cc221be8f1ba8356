import { test } from '@playwright/test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for a test; `using` removes it. */
export function scratch(): Disposable & { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'dealership-conformance-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { folder, remove, [Symbol.dispose]: remove };
}

/** Hands each test of a file a folder of its own before it begins. */
export function folderForEach(take: (folder: string) => void): void {
  let place: ReturnType<typeof scratch> | undefined;
  test.beforeEach(() => {
    place = scratch();
    take(place.folder);
  });
  test.afterEach(() => place?.remove());
}
