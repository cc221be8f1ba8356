import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { init } from '../cli/commands/init.js';
import { envExample } from './env-example.js';
import { settingTable } from './setting-table.js';
import { scratch } from '../folder.test-kit.js';

const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

test('.env.example documents every setting, in the words of the settings table', () => {
  expect(file).toBe(envExample());
  expect(Object.keys(parse(file))).toEqual([...settingTable.map((entry) => entry.name), 'OTEL_EXPORTER_OTLP_ENDPOINT']);
});

test('init writes the same text as .env, and never over a file that is there', () => {
  using place = scratch();
  const { folder } = place;
  expect(init(folder)).toBe(0);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(file);
  expect(() => init(folder)).toThrow(/is there already/);
  expect(existsSync(join(folder, '.gitignore'))).toBe(false);
});

test('in a git repository, init adds .env to .gitignore once, and changes nothing else there', () => {
  using place = scratch();
  const { folder } = place;
  const ignored = join(folder, '.gitignore');
  const again = (): string => {
    rmSync(join(folder, '.env'), { force: true });
    init(folder);
    return readFileSync(ignored, 'utf8');
  };
  execFileSync('git', ['init', '--quiet', folder]);
  expect(again()).toBe('.env\n');
  expect(again()).toBe('.env\n');
  writeFileSync(ignored, 'node_modules\n!.env.example');
  expect(again()).toBe('node_modules\n!.env.example\n.env\n');
  writeFileSync(ignored, '.env*\n');
  expect(again()).toBe('.env*\n');
  const below = join(folder, 'below');
  mkdirSync(below);
  init(below);
  expect(existsSync(join(below, '.gitignore'))).toBe(false);
});
