import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/version.js';
import { openChromium, picturedPages, wordsDigest } from './pages.test-kit.js';

const folder = join(packageRoot, 'docs/pictures');
const browser = await openChromium();
const pages = picturedPages();
for (const [name, source] of pages)
  for (const width of name === 'failing' ? [1280, 390] : [1280]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.setContent(source);
    await page.screenshot({ path: join(folder, `${name}-${width}.png`) });
    await page.close();
  }
await browser.close();
const words = Object.fromEntries([...pages].map(([name, source]) => [name, wordsDigest(source)]));
writeFileSync(join(folder, 'words.json'), `${JSON.stringify(words, null, 2)}\n`);
