import { createUnit, plainLead, postLead } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { EventKind } from '../openapi/index.js';
import type { Check } from '../run/index.js';
import { idIn, isSuccess } from '../service/index.js';
import type { HookTenant } from './delivery.js';
import type { OwnWrite } from './judge/hook-report.js';

/** One request to WEBHOOK_TRIGGER. */
export interface Triggered {
  readonly kind: EventKind;
  readonly tenant: HookTenant;
  readonly exchange: Exchange;
  /** Whether it was answered 2xx, so that the event has to come. */
  readonly accepted: boolean;
}

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

/** What causes events of either tenant, as far as the settings allow, with a record of what was sent; each gives whether it caused one. */
export function eventCauses(check: Check) {
  const { target } = check;
  const writes: (OwnWrite & { readonly exchange: Exchange | null })[] = [];
  const triggered: Triggered[] = [];
  const callerOf = (tenant: HookTenant) =>
    tenant === 'main'
      ? { as: 'API_KEY' as const, tenant: target.tenant }
      : { as: 'OTHER_API_KEY' as const, tenant: target.otherTenant };
  const mayWrite = (tenant: HookTenant): boolean => !target.readOnly && target.keys[callerOf(tenant).as] !== undefined;
  const isTelling = (id: string | null): id is string => id !== null && id.length >= 12;
  return {
    writes,
    triggered,
    async trigger(kind: EventKind, tenant: HookTenant): Promise<boolean> {
      const isDead = triggered.some(({ exchange }) => exchange.response === null);
      if (target.webhookTrigger === null || isDead) return false;
      const url = triggerUrl(target.webhookTrigger, kind, tenant);
      const exchange = await check.send({ method: 'POST', ...url, surface: 'other', as: null });
      const accepted = isSuccess(exchange);
      triggered.push({ kind, tenant, exchange, accepted });
      return accepted;
    },
    async lead(tenant: HookTenant, extra = ''): Promise<boolean> {
      if (!mayWrite(tenant)) return false;
      const caller = callerOf(tenant);
      const body = await plainLead(check, caller);
      const exchange = await postLead(check, { ...body, name: `${body.name}${extra}` }, caller);
      if (!isSuccess(exchange)) return false;
      const operation = `POST /api/v1/leads${extra === '' ? '' : ' (with an accented name)'}`;
      writes.push({ operation, tenant, exchange, markers: [body.name, ...[idIn(exchange)].filter(isTelling)] });
      return true;
    },
    async unit(tenant: HookTenant): Promise<boolean> {
      if (!mayWrite(tenant)) return false;
      const caller = callerOf(tenant);
      const id = await (tenant === 'main' ? createUnit(check) : createUnit(check, caller));
      if (id === null) return false;
      writes.push({ operation: 'POST /api/v1/units', tenant, exchange: null, markers: [id].filter(isTelling) });
      return true;
    },
  };
}
