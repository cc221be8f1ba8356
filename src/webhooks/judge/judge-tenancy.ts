import { quote } from '../../service/index.js';
import { headerValues, type Delivery, type HookTenant } from '../delivery.js';
import { eventsOf, objectsIn } from '../event-payload.js';
import { findingList, sayDelivery, type JudgeSettings, type PartJudgement } from './hook-findings.js';
import { verifyingForms } from '../signatures/signature-forms.js';

const tenantName = /^(?:x-)?tenant(?:[_-]?(?:id|slug|name|key))?$/i;

/** The tenant that a payload or a header says it belongs to, where it says one of the two slugs. */
function saidTenant(delivery: Delivery, slugs: Readonly<Record<HookTenant, string | null>>): HookTenant | null {
  const texts: unknown[] = delivery.headers.filter(([name]) => tenantName.test(name)).map(([, value]) => value);
  for (const { event } of eventsOf(delivery)) {
    if (event === null) continue;
    for (const { place, object } of objectsIn(event, 2)) {
      for (const [name, value] of Object.entries(object)) {
        if (tenantName.test(name) || (/(?:^|\.)tenant$/i.test(place) && /^(?:id|slug|name|key)$/i.test(name)))
          texts.push(value);
      }
    }
  }
  if (slugs.main === null || slugs.other === null || slugs.main === slugs.other) return null;
  const said = (tenant: HookTenant): boolean => texts.includes(slugs[tenant]);
  return said('main') === said('other') ? null : said('main') ? 'main' : 'other';
}

/** The tenant that an event is known to belong to, by the suite's own writes or by its own words; null where nothing tells. */
export function ownerOf(
  delivery: Delivery,
  settings: JudgeSettings,
): { readonly tenant: HookTenant; readonly why: string } | null {
  for (const write of settings.writes ?? []) {
    const marker = write.markers.find((text) => delivery.body.includes(text));
    if (marker !== undefined)
      return {
        tenant: write.tenant,
        why: `it is about ${quote(marker)}, which ${write.operation} created for the ${write.tenant === 'main' ? 'first' : 'second'} tenant`,
      };
  }
  const said = saidTenant(delivery, settings.tenantSlugs ?? { main: null, other: null });
  return said === null ? null : { tenant: said, why: `it names the tenant ${quote(settings.tenantSlugs?.[said])}` };
}

/** HOOK-05: no event comes signed with, or at, another tenant's secret or receiver. */
export function judgeTenancy(
  deliveries: readonly Delivery[],
  settings: JudgeSettings,
): PartJudgement & { readonly judged: number; readonly strayed: ReadonlySet<number> } {
  const findings = findingList('HOOK-05');
  const strayed = new Set<number>();
  const { secret, otherSecret } = settings;
  let judged = 0;
  for (const delivery of deliveries) {
    judged += 1;
    const owner = ownerOf(delivery, settings);
    if (owner !== null && owner.tenant !== delivery.tenant) {
      strayed.add(delivery.seq);
      findings.add(`place ${delivery.tenant}`, {
        code: 'wrong-receiver',
        expected: "one tenant's events at that tenant's receiver only",
        actual: `${sayDelivery(delivery)} belongs to the ${owner.tenant === 'main' ? 'first' : 'second'} tenant: ${owner.why}`,
        delivery: delivery.seq,
      });
    }
    const [own, foreign] = delivery.tenant === 'main' ? [secret, otherSecret] : [otherSecret, secret];
    if (foreign === null || own === foreign || !delivery.whole || headerValues(delivery, settings.header).length === 0)
      continue;
    if (own !== null && verifyingForms(delivery, own, settings.header).length > 0) continue;
    if (verifyingForms(delivery, foreign, settings.header).length === 0) continue;
    findings.add(`secret ${delivery.tenant}`, {
      code: 'wrong-secret',
      expected: "each tenant's events signed with that tenant's secret",
      actual: `${sayDelivery(delivery)} is signed with the secret of the ${delivery.tenant === 'main' ? 'second' : 'first'} tenant`,
      delivery: delivery.seq,
    });
  }
  return { findings: findings.list(), observations: [], judged, strayed };
}
