import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { envExample } from './env-example.js';
import { settingTable } from './setting-table.js';

const file = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

test('.env.example documents every setting, in the words of the settings table', () => {
  expect(file).toBe(envExample());
  expect(Object.keys(parse(file))).toEqual(settingTable.map((entry) => entry.name));
});
