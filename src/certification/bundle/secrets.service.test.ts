import { expect, test } from '@playwright/test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpacked } from '../../reports/evidence/packing.js';
import { secretSettings, type RawSettings } from '../../settings/setting-table.js';
import type { KeyName } from '../../settings/index.js';
import { scratch } from '../../folder.test-kit.js';
import { runInto, sampleCheck, startService } from '../run.test-kit.js';
import { unpackArchive } from './archive.js';
import { nonce, privateKey } from './bundle.test-kit.js';
import { writeBundle } from './write-bundle.js';

test('no secret is anywhere in a bundle, however a service gives it back', async () => {
  using place = scratch();
  const canary = (name: string): string => `canary/"${name}"+5f9=`;
  const secrets: RawSettings = Object.fromEntries(
    secretSettings.map((name) => [name, name === 'HEADERS' ? `X-Canary: ${canary(name)}` : canary(name)]),
  );
  await using service = await startService((request, _body, reply) => {
    if (!(request.url ?? '').startsWith('/api/v1/units')) return reply(404, { ok: false, error: {} });
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const shown = [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
      Buffer.from(`ab${key}`).toString('base64url'),
      Buffer.from(key).toString('hex'),
      JSON.stringify(key),
    ];
    return reply(
      200,
      { ok: true, data: { items: [], shown } },
      { 'x-shown': encodeURIComponent(key), 'x-url': request.url ?? '' },
    );
  });
  const nosy = [
    sampleCheck('AUTH-01', 'MUST', async ({ check }) => {
      for (const [name, value] of Object.entries(check.target.keys)) {
        const answer = await check.ask({
          path: '/api/v1/units',
          query: [['key', value]],
          as: name as KeyName,
          json: { value },
        });
        check.observe('what it showed', `${answer.response.text ?? ''} ${value}`);
        check.warn({
          code: 'odd',
          expected: 'no echo',
          actual: `${value} in ${answer.response.text ?? ''}`,
          exchanges: [answer],
        });
      }
    }),
    sampleCheck('HOOK-01', 'MUST', async ({ check }) => {
      await check.recorded('deliveries', () => Promise.resolve({ secret: check.target.signingSecret }));
    }),
  ];
  const settings: RawSettings = { ...secrets, BASE_URL: service.url, TENANT: 'north' };
  await runInto(place.folder, settings, nosy, { nonce });
  const file = join(place.folder, 'vendor.bundle');
  const parts = { out: place.folder, file, privateKey, nonce, checks: nosy, allowIncomplete: false, settings };
  await writeBundle(parts);
  const files = unpackArchive(readFileSync(file));
  const text = files.map(({ name, bytes }) => unpacked(name, bytes).toString('latin1')).join('\n');
  expect(text).toContain('[redacted:API_KEY]');
  for (const name of secretSettings) {
    const value = canary(name);
    const inner = JSON.stringify(value).slice(1, -1);
    const phases = [0, 1, 2].map((shift) =>
      Buffer.from(`${'x'.repeat(shift)}${value}`)
        .toString('base64')
        .slice(4, -4),
    );
    for (const form of [
      value,
      inner,
      JSON.stringify(inner).slice(1, -1),
      encodeURIComponent(value),
      ...phases,
      Buffer.from(value).toString('hex'),
    ]) {
      expect(text.includes(form), `${name} as ${form}`).toBe(false);
    }
  }
  writeFileSync(join(place.folder, 'evidence', 'recorded-slip.json'), JSON.stringify({ slip: secrets.OTHER_API_KEY }));
  await expect(writeBundle(parts)).rejects.toThrow(/the value of OTHER_API_KEY is in evidence\/recorded-slip\.json/);
  await expect(writeBundle({ ...parts, settings: { ...settings, API_KEY: 'short' } })).rejects.toThrow(
    /API_KEY is shorter than 8/,
  );
});
