import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/version.js';
import { picturedPages, wordsDigest } from './pages.test-kit.js';

const docs = join(packageRoot, 'docs');

test('every picture shows its page as it is now', () => {
  const words = JSON.parse(readFileSync(join(docs, 'pictures/words.json'), 'utf8')) as object;
  const now = Object.fromEntries([...picturedPages()].map(([name, source]) => [name, wordsDigest(source)]));
  expect(words, 'npm run pictures makes them again').toEqual(now);
});

test('every picture of the documents is one that the command makes', () => {
  const pages = ['../README.md', ...readdirSync(docs).filter((name) => name.endsWith('.md'))];
  const shown = pages.flatMap((name) => readFileSync(join(docs, name), 'utf8').split(/[()]/));
  const names = shown.filter((path) => path.endsWith('.png')).map((path) => path.replace('docs/', ''));
  expect(names.filter((name) => !/^pictures\/[a-z-]+-\d+\.png$/.test(name) || !existsSync(join(docs, name)))).toEqual(
    [],
  );
  const all = readdirSync(join(docs, 'pictures')).filter((name) => name.endsWith('.png'));
  expect(new Set(names)).toEqual(new Set(all.map((name) => `pictures/${name}`)));
});
