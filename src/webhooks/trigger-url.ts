import type { HookTenant } from './delivery.js';
import type { EventKind } from '../openapi/index.js';

/**
 * The URL that makes the target emit a kind, from the template in WEBHOOK_TRIGGER. The tenant goes where the template has
 * `{tenant}`; without that place, `tenant=other` is appended for the second tenant only.
 */
export function triggerUrl(
  template: string,
  kind: EventKind,
  tenant: HookTenant,
): { readonly base: string; readonly path: string } {
  const filled = template.replaceAll('{kind}', encodeURIComponent(kind)).replaceAll('{tenant}', tenant);
  const url = new URL(filled);
  if (tenant === 'other' && !template.includes('{tenant}')) url.searchParams.append('tenant', 'other');
  return { base: url.origin, path: url.pathname + url.search };
}
