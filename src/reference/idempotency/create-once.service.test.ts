import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { startReference, type Reference, type ReferenceOptions } from '../start-reference.js';
import { closing } from '../../loopback.test-kit.js';

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly name: string;
}

async function create(reference: Reference, key: string, name: string, setting = 'API_KEY'): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${reference.settings[setting] ?? ''}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const response = await fetch(`${reference.baseUrl}/api/v1/leads`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, phone: '+14155550123', vehicleId: 'unit_x' }),
  });
  const body = (await response.json()) as { data?: { id: string; name: string } };
  return { status: response.status, id: body.data?.id ?? '', name: body.data?.name ?? '' };
}

async function leadCount(reference: Reference): Promise<number> {
  const response = await fetch(`${reference.baseUrl}/api/v1/leads?limit=100`, {
    headers: { authorization: `Bearer ${reference.settings['API_KEY'] ?? ''}` },
  });
  return ((await response.json()) as { data: { items: unknown[] } }).data.items.length;
}

const openReference = async (options: ReferenceOptions): Promise<Reference & AsyncDisposable> =>
  closing(await startReference(options));

test('one key makes one lead, in turn and at once', async () => {
  for (const variant of [{}, { 'in-progress': '409' }, { conflict: 'first' }] as Record<string, string>[]) {
    await using reference = await openReference({ variant });
    const key = randomUUID();
    const raced = await Promise.all(Array.from({ length: 12 }, () => create(reference, key, 'Ada')));
    const made = raced.filter((one) => one.status === 201);
    expect(new Set(made.map((one) => one.id)).size).toBe(1);
    expect(raced.every((one) => one.status === 201 || (one.status === 409 && variant['in-progress'] === '409'))).toBe(
      true,
    );
    expect((await create(reference, key, 'Ada')).id).toBe(made[0]?.id);
    const other = await create(reference, key, 'Bob');
    expect(other.status === 409 || (variant['conflict'] === 'first' && other.name === 'Ada')).toBe(true);
    expect(await leadCount(reference)).toBe(1);
  }
});

test('a refused create leaves its key free, and tenants do not share keys', async () => {
  await using reference = await openReference({});
  const key = randomUUID();
  expect((await create(reference, key, '')).status).toBe(422);
  const made = await create(reference, key, 'Ada');
  expect(made.status).toBe(201);
  const theirs = await create(reference, key, 'Ada', 'OTHER_API_KEY');
  expect(theirs.status).toBe(201);
  expect(theirs.id).not.toBe(made.id);
});

test('a race of five milliseconds makes two leads', async () => {
  await using reference = await openReference({ faults: ['race-of-five-ms'] });
  const key = randomUUID();
  const raced = await Promise.all(Array.from({ length: 8 }, () => create(reference, key, 'Ada')));
  expect(new Set(raced.map((one) => one.id)).size).toBeGreaterThan(1);
});

test('faulty keys do what they say', async () => {
  const twice = async (fault: string, second: (key: string) => [string, string]): Promise<[Answer, Answer]> => {
    await using reference = await openReference({ faults: [fault] });
    const key = randomUUID();
    const first = await create(reference, key, 'Ada');
    return [first, await create(reference, ...second(key))];
  };
  const [a1, a2] = await twice('replay-fresh-id', (key) => [key, 'Ada']);
  expect(a2.id).not.toBe(a1.id);
  const [b1, b2] = await twice('other-body-shown', (key) => [key, 'Bob']);
  expect([b2.id, b2.name]).toEqual([b1.id, 'Bob']);
  const [c1, c2] = await twice('key-compared-by-eight', (key) => [key.slice(0, 8) + randomUUID().slice(8), 'Ada']);
  expect(c2.id).toBe(c1.id);
  await using reference = await openReference({ faults: ['refusal-poisons-key'] });
  const key = randomUUID();
  await create(reference, key, '');
  expect((await create(reference, key, 'Ada')).status).toBe(201);
  expect(await leadCount(reference)).toBe(0);
});
