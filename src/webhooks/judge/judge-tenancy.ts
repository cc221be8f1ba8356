import { quote } from '../../service/index.js';
import { headerValues, type Delivery, type HookTenant } from '../delivery.js';
import { eventsOf, objectsIn } from '../event-payload.js';
import { verifyingForms } from '../signatures/signature-forms.js';
import { type HookReport, isAbout, type JudgeSettings } from './hook-report.js';

const tenantName = /^(?:x-)?tenant(?:[_-]?(?:id|slug|name|key))?$/i;
const ordinal = (tenant: HookTenant): string => (tenant === 'main' ? 'first' : 'second');

/** Every value of a delivery that names a tenant. */
function tenantsNamed(delivery: Delivery): readonly unknown[] {
  const isName = (place: string, name: string): boolean =>
    tenantName.test(name) || (/(?:^|\.)tenant$/i.test(place) && /^(?:id|slug|name|key)$/i.test(name));
  const inside = eventsOf(delivery).flatMap(({ event }) => (event === null ? [] : objectsIn(event, 2)));
  return [
    ...delivery.headers.filter(([name]) => tenantName.test(name)).map(([, value]) => value),
    ...inside.flatMap(({ place, object }) =>
      Object.entries(object).flatMap(([name, value]) => (isName(place, name) ? [value] : [])),
    ),
  ];
}

/** The tenant that an event is known to belong to, by the suite's own writes or by its own words; null where nothing tells. */
function ownerOf(
  delivery: Delivery,
  { writes = [], tenantSlugs: slugs }: JudgeSettings,
): { readonly tenant: HookTenant; readonly why: string } | null {
  const write = writes.find((one) => isAbout(delivery, one));
  if (write !== undefined) {
    const marker = write.markers.find((text) => delivery.body.includes(text));
    const why = `it is about ${quote(marker)}, which ${write.operation} created for the ${ordinal(write.tenant)} tenant`;
    return { tenant: write.tenant, why };
  }
  if (!slugs || slugs.main === null || slugs.other === null || slugs.main === slugs.other) return null;
  const named = tenantsNamed(delivery);
  const said = (['main', 'other'] as const).filter((tenant) => named.includes(slugs[tenant]));
  const [tenant] = said;
  return tenant === undefined || said.length > 1
    ? null
    : { tenant, why: `it names the tenant ${quote(slugs[tenant])}` };
}

/** HOOK-05: no event comes signed with, or at, another tenant's secret or receiver. Gives the numbers of deliveries at the wrong receiver. */
export function judgeTenancy(
  report: HookReport,
  deliveries: readonly Delivery[],
  settings: JudgeSettings,
): ReadonlySet<number> {
  const strayed = new Set<number>();
  const { secret, otherSecret, header } = settings;
  for (const delivery of deliveries) {
    const { tenant } = delivery;
    const owner = ownerOf(delivery, settings);
    if (owner !== null && owner.tenant !== tenant) {
      strayed.add(delivery.seq);
      report.add('HOOK-05', `place ${tenant}`, delivery, {
        code: 'wrong-receiver',
        expected: "one tenant's events at that tenant's receiver only",
        actual: ` belongs to the ${ordinal(owner.tenant)} tenant: ${owner.why}`,
      });
    }
    const [own, foreign] = tenant === 'main' ? [secret, otherSecret] : [otherSecret, secret];
    const verifies = (key: string | null): boolean => key !== null && verifyingForms(delivery, key, header).length > 0;
    if (own === foreign || !delivery.whole || headerValues(delivery, header).length === 0) continue;
    if (!verifies(own) && verifies(foreign))
      report.add('HOOK-05', `secret ${tenant}`, delivery, {
        code: 'wrong-secret',
        expected: "each tenant's events signed with that tenant's secret",
        actual: ` is signed with the secret of the ${ordinal(tenant === 'main' ? 'other' : 'main')} tenant`,
      });
  }
  return strayed;
}
