import { expect, test } from '@playwright/test';
import { secretShape } from '../../run/run-file.js';
import { settingsForGrading } from './settings-for-grading.js';

test('of a secret only its shape is written, and a stand-in has the same shape', () => {
  const settings = { API_KEY: 'sk_1234567', API_KEY_INDEPENDENT: 'sk_1234567', OTHER_API_KEY: '12345678' };
  const shapes = {
    API_KEY: secretShape('API_KEY', settings),
    API_KEY_INDEPENDENT: secretShape('API_KEY_INDEPENDENT', settings),
    OTHER_API_KEY: secretShape('OTHER_API_KEY', settings),
  };
  expect(shapes).toEqual({
    API_KEY: '[set]',
    API_KEY_INDEPENDENT: '[set, same as API_KEY]',
    OTHER_API_KEY: '[set, no letters]',
  });
  const again = settingsForGrading({ ...shapes, TENANT: 'north' });
  expect(again.TENANT).toBe('north');
  expect(again.API_KEY).toBe(again.API_KEY_INDEPENDENT);
  expect(again.OTHER_API_KEY).not.toMatch(/[a-z]/i);
  expect(settingsForGrading(shapes, { API_KEY: 'known' }).API_KEY).toBe('known');
});
