import { expect, test } from '@playwright/test';
import { triggerUrl } from './cause-events.js';

test('the tenant goes where the template has a place for it, or is appended for the second one', () => {
  for (const [template, kind, tenant, path] of [
    ['http://x:1/fire/{kind}', 'deal.funded', 'main', '/fire/deal.funded'],
    ['http://x:1/fire?kind={kind}', 'deal.funded', 'other', '/fire?kind=deal.funded&tenant=other'],
    ['http://x:1/{tenant}/{kind}?a=1', 'unit.sold', 'other', '/other/unit.sold?a=1'],
  ] as const)
    expect(triggerUrl(template, kind, tenant)).toEqual({ base: 'http://x:1', path });
});
