import { expect, test } from '@playwright/test';
import { readLeadSchema, smallestLead } from '../generate/lead-schema.js';
import type { Check } from '../run/check.js';
import { uniquePhone } from './leads.js';

/** As much of a check as a phone needs. */
function checkOf(nonce: string): Check {
  const known = new Map<string, Promise<unknown>>();
  const once = (name: string, make: () => Promise<unknown>): Promise<unknown> => {
    const value = known.get(name) ?? make();
    known.set(name, value);
    return value;
  };
  return { entry: { id: 'IDEM-01' }, run: { nonce }, once } as unknown as Check;
}

test('every lead has a phone of its own, whatever pattern the document declares', async () => {
  for (const pattern of [
    '^\\+[1-9]\\d{6,14}$',
    '^\\+46[1-9]\\d{6,8}$',
    '^\\+46\\d{9}$',
    '^\\+(?:46|47|45)\\d{8,10}$',
  ]) {
    const declared = {
      type: 'object',
      required: ['name', 'phone', 'vehicleId'],
      properties: { name: { type: 'string' }, phone: { type: 'string', pattern }, vehicleId: { type: 'string' } },
    };
    const schema = readLeadSchema(declared, { openapi: '3.1.0' });
    const form = { declared, schema, base: smallestLead(schema, 'unit-1') };
    expect(form.base, pattern).not.toBeNull();
    for (const nonce of ['a', 'b', 'c']) {
      const check = checkOf(nonce);
      const phones: string[] = [];
      while (phones.length < 100) phones.push(await uniquePhone(check, form));
      expect(new Set(phones).size, pattern).toBe(100);
      expect(
        phones.filter((phone) => !new RegExp(pattern).test(phone)),
        pattern,
      ).toEqual([]);
    }
  }
});
