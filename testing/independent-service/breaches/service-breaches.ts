import type { Flavour } from '../types.js';
import { breach, firmDoc } from './breach.js';

const emitsOnLead = (f: Flavour): boolean => f.hook.leadEmits;
const ownPlanTenants = (f: Flavour): boolean => f.planKeys === 'own';
const refusesTenant = (f: Flavour): boolean => f.tenantMismatch === 'refuse';
const declaresHooks = (f: Flavour): boolean => f.doc.webhooks !== 'none' && firmDoc(f);

/** Breaches of what holds for all records, one a line: keys and tenants, webhooks, limits and address forms. */
// prettier-ignore
export const serviceBreaches = [
  // authentication
  breach('auth-none-list', 'AUTH-01', '4', 'All production calls send Authorization (the unit list works without).'),
  breach('auth-folded', 'AUTH-06', '5.3', 'Keys are provisioned by the operator (letter case of keys is ignored).'),
  breach('auth-slug-as-key', 'AUTH-01', '5.1', 'Authorization: Bearer <API_KEY> (the tenant slug is accepted as key).'),
  breach('auth-tenant-instead', 'AUTH-01', '4', 'All production calls send Authorization (with X-Tenant of a known tenant the unit list needs no key).'),
  breach('scope-calls-reads-units', 'AUTH-03', '5.5', 'read:calls grants calls (it may list units).'),
  breach('scope-leads-reads-units-item', 'AUTH-03', '5.5', 'read:leads grants leads (it may get single units).', { needs: (f) => f.unitCount > 0 }),
  breach('scope-inventory-refused', 'AUTH-02', '5.5', 'read:inventory grants listing units (refused; only admin:* may).'),
  breach('scope-admin-crosses', 'AUTH-04', '5.5', 'admin:* is full access to its tenant (with X-Tenant it reaches the other tenant).', { needs: refusesTenant }),
  breach('tenant-own-refused', 'UNIT-09', '5.2', "A tenant is selected with X-Tenant (the key's own tenant is refused on the first form).", { missed: 'a tenant that every operation refuses cannot be told from a wrong TENANT setting: everything is blocked' }),
  breach('tenant-header-required', 'UNIT-09', '4.1', 'X-Tenant is omitted in one example (refused without on the first form).'),
  breach('tenant-first-wins', 'AUTH-04 UNIT-09', '5.2', 'A tenant is selected by its key (without X-Tenant every key sees the main tenant).'),
  // webhooks
  breach('hook-wrong-tenant', 'HOOK-05 HOOK-02', '5.6', "A per-tenant webhook secret (everything is signed with the main tenant's)."),
  breach('hook-key-as-secret', 'HOOK-02', '5.6', "The webhook secret signs (the tenant's API key is used)."),
  breach('hook-stale-signature', 'HOOK-02', '5.6', 'The body is signed (the signature of the first event is sent with all later ones).'),
  breach('hook-service-unsigned', 'HOOK-01', '5.6', 'The body is signed (events of the Service group are not).'),
  breach('hook-large-body', 'HOOK-02', '5.6', 'HMAC over the raw body (only its first 64 bytes are signed).'),
  breach('hook-deal-no-id', 'HOOK-04', '6', 'deal.funded carries id (missing).'),
  breach('hook-deal-id-number', 'HOOK-04', '2 Deal', 'id of a deal is a string (a number in deal.funded).'),
  breach('hook-kind-renamed', 'HOOK-03', '6', 'The kind call.escalated exists (sent as call.escalate).'),
  breach('hook-kind-underscore', 'HOOK-03', '6', 'The kinds are written with a dot (service.opened is sent as service_opened).'),
  breach('hook-kind-silent', 'HOOK-07', '6', 'unit.aged is a kind of event (it is never delivered).', { warns: true }),
  breach('hook-tenant-leak', 'HOOK-05', '5.6', "Per-tenant webhooks (the other tenant's receiver also gets the main tenant's events)."),
  breach('hook-own-shape', 'HOOK-06 HOOK-03', 'its own OpenAPI document', 'The webhook body lacks all properties its declared schema requires.', { needs: declaresHooks }),
  breach('hook-lead-unsigned', 'HOOK-01', '5.6', 'The body is signed (lead.created raised by creating a lead is not).', { needs: emitsOnLead }),
  // limits
  breach('rate-minute-late', 'LIMIT-02 LIMIT-08', '8', 'Independent: 600 / min (refused only after 900).'),
  breach('rate-second-none', 'LIMIT-03', '8', 'Independent: 100 req/sec (only the minute is limited).'),
  breach('rate-second-early', 'LIMIT-01', '8', 'Independent: 100 req/sec (refused after 40 in a second).'),
  breach('rate-franchise-second-early', 'LIMIT-01 LIMIT-08', '8', 'Franchise: 500 req/sec (refused after 200 in a second).'),
  breach('rate-enterprise-as-independent', 'LIMIT-08 LIMIT-01', '8', 'Enterprise limits are custom as agreed (treated as Independent).'),
  breach('rate-503', 'LIMIT-04', '7', 'The rate limit is exceeded: HTTP 429 (503 is sent).'),
  breach('rate-never-recovers', 'LIMIT-07 LIMIT-01', '8', 'A rate per time (once refused, refused for good).'),
  breach('rate-global', 'LIMIT-08 LIMIT-01', '8', "Limits belong to a plan's customer (one tenant's use exhausts every other key).", { needs: ownPlanTenants }),
  breach('rate-second-form-free', 'LIMIT-02', '8', 'Independent: 600 / min (the second address form is never counted).', { missed: 'the limits are driven under the first address form only' }),
  breach('rate-item-free', 'LIMIT-02', '8', 'Independent: 600 / min (requests for single units are never counted).', { missed: 'the limits are driven with reads of lists and creates of leads only' }),
  breach('rate-demo-early', 'LIMIT-08 LIMIT-01', '8', 'Demo: 100 requests per minute (refused after 60).'),
  breach('rate-demo-key', 'LIMIT-08', '8', 'Demo: 100 requests per minute (a new X-Forwarded-For or User-Agent value starts anew).', { missed: 'the demo is driven as one client, and the specification does not say what the demo limit counts by' }),
  breach('rate-headers-demo-none', 'LIMIT-06', '8', 'Response headers RateLimit-* (missing on the demo).'),
  breach('rate-reset-ms', 'LIMIT-06 LIMIT-07', '8', 'RateLimit-Reset is delta seconds (milliseconds are sent).'),
  breach('rate-reset-date', 'LIMIT-06', '8', 'RateLimit-Reset is delta seconds (an HTTP date is sent).'),
  breach('rate-limit-wrong', 'LIMIT-07', '8', 'RateLimit-Limit is the limit that applies (1000 is reported for Independent).'),
  // versions and second form
  breach('second-form-item-missing', 'VER-01', '4', 'A second address form for the same resources (404 for single units).'),
  breach('second-form-stale', 'VER-01', '4', 'The second form shows the same resources (a copy made at start).', { needs: (f) => f.unitsWrite !== 'patch' }),
];
