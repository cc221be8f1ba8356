import type { Observation } from '../../requirement/index.js';
import { headerValues, type Delivery, type HookTenant } from '../delivery.js';
import type { EventKind } from '../../openapi/index.js';

/** The requirements that deliveries are judged by. */
export type DeliveryRequirement = 'HOOK-01' | 'HOOK-02' | 'HOOK-03' | 'HOOK-04' | 'HOOK-05' | 'HOOK-06' | 'HOOK-07';

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

/** The result of a part of the judgement. */
export interface PartJudgement {
  readonly findings: readonly HookFinding[];
  readonly observations: readonly Observation[];
}

/** Collects findings of one requirement, at most a few of the same kind, the rest counted. */
export function findingList(id: DeliveryRequirement): {
  add(
    group: string,
    finding: Omit<HookFinding, 'id' | 'severity'> & { readonly severity?: HookFinding['severity'] },
  ): void;
  list(): readonly HookFinding[];
} {
  const groups = new Map<string, { first: HookFinding; more: number }>();
  return {
    add(group, finding) {
      const known = groups.get(group);
      if (known) known.more += 1;
      else groups.set(group, { first: { id, severity: 'fail', ...finding }, more: 0 });
    },
    list: () =>
      [...groups.values()].map(({ first, more }) =>
        more === 0 ? first : { ...first, actual: `${first.actual} (and ${more} more like it)` },
      ),
  };
}

/** `delivery 3 at /hooks/main (deal.funded, 412 bytes)`, for sentences. */
export function sayDelivery(delivery: Delivery, kind?: EventKind | null): string {
  const facts = [
    ...(kind ? [kind] : []),
    `${delivery.wire.length} bytes`,
    ...headerValues(delivery, 'content-encoding'),
  ];
  return `delivery ${delivery.seq} at /hooks/${delivery.tenant} (${facts.join(', ')})`;
}
