import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

interface Locked {
  readonly packages: Readonly<
    Record<string, { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }>
  >;
}

// npm leaves out what is for other systems where a registry has not got it, and `npm ci` then installs nothing anywhere.
test('the lockfile holds what every system needs, so that `npm ci` installs it', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Locked;
  const missing: string[] = [];
  for (const [place, { dependencies, optionalDependencies }] of Object.entries(packages))
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folders = place
        .split('/node_modules/')
        .map((_, at, parts) => parts.slice(0, at + 1).join('/node_modules/'));
      const holders = ['', ...folders.map((folder) => `${folder}/`)];
      if (!holders.some((holder) => `${holder}node_modules/${name}` in packages)) missing.push(`${place}: ${name}`);
    }
  expect(Object.keys(packages).length).toBeGreaterThan(400);
  expect(missing).toEqual([]);
});
