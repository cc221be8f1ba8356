import { expect, test } from '@playwright/test';
import { readBehaviour } from './behaviour.js';
import { variantOptions } from './variant-options.js';
import { faults } from './faults/faults.js';
import { startReference } from './start-reference.js';
import { closing } from '../loopback.test-kit.js';

test('what is unknown is refused in a sentence', async () => {
  await expect(startReference({ faults: ['no-such'] })).rejects.toThrow(/There is no fault "no-such"/);
  await expect(startReference({ variant: { colour: 'red' } })).rejects.toThrow(/There is no option "colour"/);
  await expect(startReference({ variant: { limiter: 'luck' } })).rejects.toThrow(/has no value "luck"/);
  await expect(startReference({ faults: ['limit-plus-one'], variant: { 'over-limit': 'refuse' } })).rejects.toThrow(
    /needs the option/,
  );
});

test('every value of an option starts and serves units', async () => {
  const silent: string[] = [];
  for (const option of variantOptions) {
    for (const value of option.values) {
      await using reference = closing(await startReference({ variant: { [option.name]: value } }));
      const response = await fetch(`${reference.baseUrl}/api/v1/units?limit=10&locale=en-US`, {
        headers: {
          authorization: `Bearer ${reference.settings['API_KEY'] ?? ''}`,
          'x-tenant': reference.settings['TENANT'] ?? '',
          'x-client-version': '1.0',
        },
      });
      const body = (await response.json()) as { ok: boolean; data: { items: unknown[] } };
      if (response.status !== 200 || !body.ok || body.data.items.length !== 10) silent.push(`${option.name}=${value}`);
    }
  }
  expect(silent).toEqual([]);
});

test('every fault has an id of its own, names a requirement and fits the options that it needs', () => {
  expect(new Set(faults.map((fault) => fault.id)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThan(130);
  for (const fault of faults) {
    expect(`${fault.id} ${fault.requirement}`).toMatch(/^[a-z0-9]+(-[a-z0-9]+)* [A-Z]+-\d\d$/);
    readBehaviour([fault.id], fault.needs ?? {}, 1);
  }
});

test('one after another is started and closed, and none goes on answering', async () => {
  for (let round = 0; round < 20; round += 1) {
    const reference = await startReference();
    const url = `${reference.baseUrl}/api/demo/units?limit=1`;
    expect((await fetch(url)).status).toBe(200);
    await reference.close();
    await expect(fetch(url)).rejects.toThrow();
  }
});
