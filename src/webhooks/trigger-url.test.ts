import { expect, test } from '@playwright/test';
import { arrivalList } from './arrival-list.js';
import { eventKinds } from '../openapi/event-kinds.js';
import { triggerUrl } from './trigger-url.js';

test('the tenant goes where the template has a place for it, or is appended for the second one', () => {
  expect(triggerUrl('http://x:1/fire/{kind}', 'deal.funded', 'main')).toEqual({
    base: 'http://x:1',
    path: '/fire/deal.funded',
  });
  expect(triggerUrl('http://x:1/fire?kind={kind}', 'deal.funded', 'other')).toEqual({
    base: 'http://x:1',
    path: '/fire?kind=deal.funded&tenant=other',
  });
  expect(triggerUrl('http://x:1/{tenant}/{kind}?a=1', 'unit.sold', 'other')).toEqual({
    base: 'http://x:1',
    path: '/other/unit.sold?a=1',
  });
});

test('the list shows all thirteen kinds, arrived or awaited', () => {
  const lines = arrivalList(
    new Map([
      ['unit.sold', 2],
      ['lead.created', 1],
    ]),
  );
  expect(lines).toHaveLength(eventKinds.length);
  expect(lines.filter((line) => line.includes('awaited'))).toHaveLength(11);
  expect(lines.find((line) => line.includes('unit.sold'))).toMatch(/✓ unit\.sold +arrived 2 times/);
});
