import { expect, test } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../../cli/arguments.js';
import { verify } from '../../cli/commands/verify.js';
import { scratch } from '../../folder.test-kit.js';
import { SettingsError } from '../../settings/settings-error.js';
import { packArchive } from './archive.js';
import { whyUnreadable } from './why-unreadable.js';

const bundle = packArchive([
  { name: 'manifest.json', bytes: Buffer.from('{}\n') },
  { name: 'evidence/run.json', bytes: Buffer.alloc(600, 7) },
]);

test('the beginning of a bundle ends early, wherever it was cut', () => {
  const missed: number[] = [];
  for (let length = 512; length < bundle.length; length += 1)
    if (whyUnreadable(bundle.subarray(0, length))?.startsWith('ends early') !== true) missed.push(length);
  expect(missed).toEqual([]);
});

test('a whole bundle can be judged, whichever byte of it was changed', () => {
  expect(whyUnreadable(bundle)).toBeNull();
  expect(whyUnreadable(Buffer.concat([bundle, Buffer.from([0])]))).toBeNull();
  const refused: number[] = [];
  for (let at = 0; at < bundle.length; at += 1) {
    for (const bits of [1, 0x80, 0xff]) {
      const changed = Buffer.from(bundle);
      changed[at] = (changed[at] ?? 0) ^ bits;
      if (whyUnreadable(changed) !== null) refused.push(at);
    }
  }
  expect(refused).toEqual([]);
});

test('verify refuses a file that is no bundle, or only the beginning of one, in one sentence', async () => {
  using place = scratch();
  const file = join(place.folder, 'given');
  const refusal = async (bytes: Buffer | string): Promise<unknown> => {
    writeFileSync(file, bytes);
    return verify(readArguments(['verify', file])).catch((error: unknown) => error);
  };
  const cases: readonly (readonly [Buffer | string, string])[] = [
    ['', 'is no bundle'],
    ['{"name": "x"}', 'is no bundle'],
    ['x'.repeat(5000), 'is no bundle'],
    [Buffer.alloc(5000), 'is no bundle'],
    [packArchive([{ name: 'package.json', bytes: Buffer.from('{}') }]), 'is no bundle'],
    [bundle.subarray(0, bundle.length / 2), 'ends early'],
  ];
  for (const [bytes, says] of cases) {
    const error = await refusal(bytes);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toMatch(new RegExp(`${file} ${says}[^\n]*\\.$`));
  }
});
