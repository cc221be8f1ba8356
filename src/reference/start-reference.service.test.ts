import { expect, test } from '@playwright/test';
import { dials } from './dials.js';
import { faults } from './faults/faults.js';
import { startReference } from './start-reference.js';

test('what is unknown is refused in a sentence', async () => {
  await expect(startReference({ faults: ['no-such'] })).rejects.toThrow(/There is no fault "no-such"/);
  await expect(startReference({ variant: { colour: 'red' } })).rejects.toThrow(/There is no dial "colour"/);
  await expect(startReference({ variant: { limiter: 'luck' } })).rejects.toThrow(/has no value "luck"/);
  await expect(startReference({ faults: ['limit-plus-one'], variant: { 'over-limit': 'refuse' } })).rejects.toThrow(
    /needs the dial/,
  );
});

test('every dial value starts and serves units', async () => {
  for (const dial of dials) {
    for (const value of dial.values) {
      const reference = await startReference({ variant: { [dial.name]: value } });
      try {
        const response = await fetch(`${reference.baseUrl}/api/v1/units?limit=10&locale=en-US`, {
          headers: {
            authorization: `Bearer ${reference.settings['API_KEY'] ?? ''}`,
            'x-tenant': reference.settings['TENANT'] ?? '',
            'x-client-version': '1.0',
          },
        });
        const body = (await response.json()) as { ok: boolean; data: { items: unknown[] } };
        expect(response.status, `${dial.name}=${value}`).toBe(200);
        expect(body.ok).toBe(true);
        expect(body.data.items).toHaveLength(10);
      } finally {
        await reference.close();
      }
    }
  }
});

test('every fault has an id of its own, names a requirement and starts', async () => {
  expect(new Set(faults.map((fault) => fault.id)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThan(130);
  for (const fault of faults) {
    expect(fault.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(fault.requirement).toMatch(/^[A-Z]+-\d\d$/);
    const reference = await startReference({ faults: [fault.id] });
    await reference.close();
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
