import { expect, test } from '@playwright/test';
import type { Check } from '../../run/check.js';
import { visibleChanges, type VisiblePatch } from './unit-patch.js';

/** A service whose PATCH takes these fields; numbers up to `most`. */
function changeable(properties: Record<string, unknown>, most = Number.MAX_SAFE_INTEGER): Check {
  const requestSchema = { type: 'object', properties };
  const isAllowed = (body: Record<string, unknown>): boolean =>
    Object.values(body).every((value) => !(Number(value) > most));
  const contract = {
    document: {},
    operation: () => ({ requestSchema, requestPointer: '' }),
    validateRequest: (_: string, __: string, body: Record<string, unknown>) => (isAllowed(body) ? [] : ['too large']),
  };
  return { contract: () => Promise.resolve({ contract }), fresh: () => 'ab12cd34' } as unknown as Check;
}

const changeOf = async (check: Check, record: Record<string, unknown>): Promise<VisiblePatch | undefined> =>
  (await visibleChanges(check, '/api/v1/units/a', record, () => false))[0];

test('a change is of a field that the record shows', async () => {
  const stage = { stage: { enum: ['new', 'open'] } };
  expect(await changeOf(changeable(stage), { stage: 'new' })).toMatchObject({ body: { stage: 'open' } });
  expect(await changeOf(changeable(stage), { stage: null })).toMatchObject({ body: { stage: 'new' } });
  expect(await changeOf(changeable(stage), { attributes: { stage: 'new' } })).toBeUndefined();
});

test('a number grows by a drawn one, or by one where that is not allowed', async () => {
  const year = { modelYear: { type: 'integer' } };
  expect(await changeOf(changeable(year), { modelYear: 2026 })).toMatchObject({ value: 2027 + 0xab12 });
  expect(await changeOf(changeable(year, 2100), { modelYear: 2026 })).toMatchObject({ value: 2027 });
  expect(await changeOf(changeable({ trim: { type: 'string' } }), { trim: 'Sport' })).toMatchObject({
    value: 'Sport ab12',
  });
});
