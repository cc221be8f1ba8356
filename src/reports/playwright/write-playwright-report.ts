import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Longest that Playwright may take to write its report, in milliseconds. */
const patienceMs = 60_000;

/**
 * Writes Playwright's own report of a finished run to `out/playwright/report`, from `out/conformance.json`. Whether it was written: a
 * verdict never depends on it.
 */
export async function writePlaywrightReport(out: string): Promise<boolean> {
  const folder = resolve(out, 'playwright', 'report');
  // In a container nothing but `out` may be writable, and the user may have no home folder: Playwright looks for one, and for TMPDIR.
  const scratch = resolve(out, 'playwright', 'scratch');
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(scratch, { recursive: true });
    const config = fileURLToPath(new URL('playwright.config.js', import.meta.url));
    // A run inside of Playwright would hand its own workers' settings down.
    const environment = Object.entries(process.env).filter(
      ([name]) => !/^(PLAYWRIGHT_|PW_|TEST_|NODE_OPTIONS$)/.test(name),
    );
    const child = spawn(
      process.execPath,
      [createRequire(import.meta.url).resolve('@playwright/test/cli'), 'test', '--config', config],
      {
        stdio: 'ignore',
        timeout: patienceMs,
        env: {
          ...Object.fromEntries(environment),
          PLAYWRIGHT_HTML_OUTPUT_DIR: folder,
          DEALERSHIP_CONFORMANCE_REPORT: resolve(out, 'conformance.json'),
          DEALERSHIP_CONFORMANCE_SCRATCH: scratch,
          HOME: scratch,
          TMPDIR: scratch,
        },
      },
    );
    await once(child, 'exit');
    return existsSync(join(folder, 'index.html'));
  } catch {
    return false;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
