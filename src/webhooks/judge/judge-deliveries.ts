import type { Observation } from '../../requirement/index.js';
import type { Delivery } from '../delivery.js';
import type { EventKind } from '../../openapi/index.js';
import { eventsOf } from '../event-payload.js';
import { type HookFinding, HookReport, type JudgeSettings } from './hook-report.js';
import { judgeKinds } from './judge-kinds.js';
import { judgeDeclared, judgeFundedDeals } from './judge-payloads.js';
import { judgePresence, judgeSignatures } from '../signatures/judge-signatures.js';
import { judgeTenancy } from './judge-tenancy.js';
import { observeDeliveries } from './observe-deliveries.js';

/** Everything that deliveries show, by requirement. */
export interface DeliveryJudgement {
  readonly findings: readonly HookFinding[];
  readonly observations: readonly Observation[];
  /** How many deliveries (or events) the requirements were judged on that need some. */
  readonly judged: HookReport['judged'];
  readonly seen: ReadonlySet<EventKind>;
  /** The kind of each delivery, by its number, where one of the thirteen stands there. */
  readonly kindOf: ReadonlyMap<number, EventKind>;
  /** Kinds that the document declares a webhook for. */
  readonly declared: readonly EventKind[];
  /** Why a declared schema cannot be used, or null. */
  readonly unusableSchema: string | null;
}

/** Judges recorded deliveries; pure, so that a record can be judged again. */
export function judgeDeliveries(deliveries: readonly Delivery[], settings: JudgeSettings): DeliveryJudgement {
  const report = new HookReport();
  judgePresence(report, deliveries, settings);
  const strayed = judgeTenancy(report, deliveries, settings);
  judgeSignatures(report, deliveries, settings, strayed);
  const events = judgeKinds(report, deliveries.filter((delivery) => delivery.whole).flatMap(eventsOf));
  judgeFundedDeals(report, events);
  const declared = judgeDeclared(report, events, settings.document);
  if (deliveries.length > 0) observeDeliveries(report, events, settings.writes ?? []);
  for (const { seq, problem } of deliveries.filter((delivery) => delivery.problem !== null).slice(0, 3))
    report.observe('HOOK-07', `What was wrong with the body of delivery ${seq}?`, problem ?? '');
  return {
    findings: report.findings,
    observations: report.observations,
    judged: report.judged,
    seen: new Set(events.flatMap(({ kind }) => kind ?? [])),
    kindOf: new Map(events.flatMap(({ delivery, kind }) => (kind === null ? [] : [[delivery.seq, kind] as const]))),
    ...declared,
  };
}
