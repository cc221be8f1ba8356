import { expect, test } from '@playwright/test';
import { breaches } from './breaches.js';
import { flavours } from './flavours.js';
import type { StrangerOptions } from './server.js';
import { startStranger } from './server.js';

/** Starts, reads units and the document, stops. Whatever is broken, no connection may hang or break. */
const visit = async (options: StrangerOptions): Promise<{ units: number; document: number; second: number }> => {
  const service = await startStranger(options);
  try {
    const headers = {
      Authorization: `Bearer ${service.settings['API_KEY'] ?? ''}`,
      'X-Tenant': service.settings['TENANT'] ?? '',
    };
    const [units, document, second] = await Promise.all([
      fetch(`${service.baseUrl}/api/v1/units?status=available&limit=50`, { headers }),
      fetch(`${service.baseUrl}/api/openapi.json`),
      fetch(`${service.settings['API_BASE_URL'] ?? ''}/v1/units`, { headers }),
    ]);
    await Promise.all([units.text(), document.text(), second.text()]);
    return { units: units.status, document: document.status, second: second.status };
  } finally {
    await service.close();
  }
};

test('there are at least eight flavours, and each flavour and each breach is named once', () => {
  expect(flavours.length).toBeGreaterThanOrEqual(8);
  expect(new Set(flavours.map((f) => f.name)).size).toBe(flavours.length);
  expect(new Set(breaches.map((b) => b.id)).size).toBe(breaches.length);
});

for (const { name } of flavours)
  test(`flavour ${name} serves units and a document`, async () => {
    expect(await visit({ flavour: name })).toEqual({ units: 200, document: 200, second: 200 });
  });
