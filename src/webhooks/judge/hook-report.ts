import type { Observation } from '../../requirement/index.js';
import { headerValues, type Delivery, type HookTenant } from '../delivery.js';
import type { EventKind } from '../../openapi/index.js';

/** The requirements that deliveries are judged by. */
export type DeliveryRequirement = `HOOK-0${1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** One thing wrong with a delivery. */
export interface HookFinding {
  readonly id: DeliveryRequirement;
  /** Warns and never fails. */
  readonly severity: 'fail' | 'warn';
  /** The kind of breach, and what it is about, as in a `Breach`. */
  readonly code: string;
  readonly field?: string;
  readonly expected: string;
  readonly actual: string;
  /** Number of the delivery that shows it, or null where it takes several. */
  readonly delivery: number | null;
}

/** A write of the suite's own and the texts that only its events hold. */
export interface OwnWrite {
  readonly operation: string;
  readonly tenant: HookTenant;
  readonly markers: readonly string[];
}

/** Whether a delivery is about what a write created. */
export function isAbout(delivery: Delivery, { markers }: OwnWrite): boolean {
  return markers.some((text) => delivery.body.includes(text));
}

/** Everything that deliveries are judged against. */
export interface JudgeSettings {
  readonly secret: string;
  readonly otherSecret: string | null;
  readonly header: string;
  /** The contract document, or null. */
  readonly document: Record<string, unknown> | null;
  readonly writes?: readonly OwnWrite[];
  /** Slugs of the two tenants, where known. */
  readonly tenantSlugs?: Readonly<Record<HookTenant, string | null>>;
  /** Other secrets by their settings' names, for the diagnosis. */
  readonly suspects?: readonly (readonly [string, string])[];
}

/** `delivery 3 at /hooks/main (deal.funded, 412 bytes)`, for sentences. */
function sayDelivery(delivery: Delivery, kind: EventKind | null): string {
  const facts = [kind ?? [], `${delivery.wire.length} bytes`, headerValues(delivery, 'content-encoding')].flat();
  return `delivery ${delivery.seq} at /hooks/${delivery.tenant} (${facts.join(', ')})`;
}

/** A finding about one delivery; `actual` goes on after its name, which says the kind of its event where that is given. */
interface DeliveryFinding extends Omit<HookFinding, 'id' | 'severity' | 'delivery'> {
  readonly severity?: HookFinding['severity'];
  readonly kind?: EventKind;
}

/** What deliveries show, collected by requirement. */
export class HookReport {
  readonly observations: Observation[] = [];
  /** How many deliveries (or events) each requirement was judged on. */
  readonly judged = { 'HOOK-02': 0, 'HOOK-03': 0, 'HOOK-04': 0, 'HOOK-06': 0 };
  readonly #groups = new Map<string, { readonly first: HookFinding; more: number }>();

  observe(id: DeliveryRequirement, question: string, observed: string): void {
    this.observations.push({ id, question, observed });
  }

  /** Adds a finding about one delivery, which begins the sentence; of those in one group, the first is shown and the others are counted. */
  add(id: DeliveryRequirement, group: string, delivery: Delivery, finding: DeliveryFinding): void {
    const known = this.#groups.get(`${id} ${group}`);
    if (known) known.more += 1;
    else {
      const { kind = null, actual, ...rest } = finding;
      const said = `${sayDelivery(delivery, kind)}${actual}`;
      const first = { id, severity: 'fail' as const, ...rest, actual: said, delivery: delivery.seq };
      this.#groups.set(`${id} ${group}`, { first, more: 0 });
    }
  }

  get findings(): readonly HookFinding[] {
    return [...this.#groups.values()].map(({ first, more }) =>
      more === 0 ? first : { ...first, actual: `${first.actual} (and ${more} more like it)` },
    );
  }
}
