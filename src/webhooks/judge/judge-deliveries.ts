import type { Observation } from '../../requirement/index.js';
import type { Delivery } from '../delivery.js';
import type { EventKind } from '../../openapi/index.js';
import { eventsOf } from '../event-payload.js';
import type { DeliveryRequirement, HookFinding, JudgeSettings } from './hook-findings.js';
import { judgeKinds } from './judge-kinds.js';
import { judgeDeclared, judgeFundedDeals } from './judge-payloads.js';
import { judgePresence, judgeSignatures } from '../signatures/judge-signatures.js';
import { judgeTenancy } from './judge-tenancy.js';
import { observeDeliveries } from './observe-deliveries.js';

/** Everything that deliveries show, by requirement. */
export interface DeliveryJudgement {
  readonly findings: readonly HookFinding[];
  readonly observations: readonly Observation[];
  /** How many deliveries (or events) each requirement was judged on. */
  readonly judged: Readonly<Record<DeliveryRequirement, number>>;
  readonly seen: ReadonlySet<EventKind>;
  /** The kind of each delivery, by its number, where one of the thirteen stands there. */
  readonly kindOf: ReadonlyMap<number, EventKind>;
  /** Kinds that the document declares a webhook for. */
  readonly declared: readonly EventKind[];
  /** Why a declared schema cannot be used, or null. */
  readonly unusableSchema: string | null;
  readonly arrivedAtOther: number;
}

/** Judges recorded deliveries; pure, so that a record can be judged again. */
export function judgeDeliveries(deliveries: readonly Delivery[], settings: JudgeSettings): DeliveryJudgement {
  const events = deliveries.filter((delivery) => delivery.whole).flatMap(eventsOf);
  const presence = judgePresence(deliveries, settings);
  const tenancy = judgeTenancy(deliveries, settings);
  const signatures = judgeSignatures(deliveries, settings, tenancy.strayed);
  const kinds = judgeKinds(events);
  const funded = judgeFundedDeals(events, kinds.kinds);
  const declared = judgeDeclared(events, kinds.kinds, settings.document);
  const parts = [presence, signatures, kinds, funded, tenancy, declared];
  const unread = deliveries.filter((delivery) => delivery.problem !== null);
  return {
    findings: parts.flatMap((part) => part.findings),
    observations: [
      ...parts.flatMap((part) => part.observations),
      ...(deliveries.length === 0 ? [] : observeDeliveries(events, kinds.kinds, settings.writes ?? [])),
      ...unread.slice(0, 3).map((delivery) => ({
        id: 'HOOK-07',
        question: `What was wrong with the body of delivery ${delivery.seq}?`,
        observed: delivery.problem ?? '',
      })),
    ],
    judged: {
      'HOOK-01': deliveries.length,
      'HOOK-02': signatures.judged,
      'HOOK-03': events.length,
      'HOOK-04': funded.judged,
      'HOOK-05': tenancy.judged,
      'HOOK-06': declared.judged,
      'HOOK-07': deliveries.length,
    },
    seen: kinds.seen,
    kindOf: new Map(
      events.flatMap(({ delivery }, at) => {
        const kind = kinds.kinds[at];
        return kind === null || kind === undefined ? [] : [[delivery.seq, kind] as const];
      }),
    ),
    declared: declared.declared,
    unusableSchema: declared.unusable,
    arrivedAtOther: deliveries.filter((delivery) => delivery.tenant === 'other').length,
  };
}
