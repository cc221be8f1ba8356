import { asObject } from '../../api/json.js';
import type { Observation } from '../../requirement/types.js';
import { declaredName, payloadJudge } from '../declared-payloads.js';
import { eventKinds } from '../../openapi/event-kinds.js';
import type { EventKind } from '../../openapi/event-kinds.js';
import type { EventPayload } from '../event-payload.js';
import { findFundedDeal } from '../funded-deal.js';
import { findingList, sayDelivery } from './hook-findings.js';
import type { PartJudgement } from './hook-findings.js';

/** HOOK-04: every `deal.funded` carries a deal with a string id and a number totalGross. */
export function judgeFundedDeals(
  events: readonly EventPayload[],
  kinds: readonly (EventKind | null)[],
): PartJudgement & { readonly judged: number } {
  const findings = findingList('HOOK-04');
  const places = new Set<string>();
  let judged = 0;
  for (const [at, { delivery, event }] of events.entries()) {
    if (kinds[at] !== 'deal.funded') continue;
    judged += 1;
    const found = event === null ? { place: null, problem: 'the body is no JSON object' } : findFundedDeal(event);
    if (found.place !== null) places.add(found.place === '' ? 'the top of the payload' : found.place);
    if (found.problem === null) continue;
    findings.add(found.problem.replace(/".*?"|\d+/g, ''), {
      expected: 'a deal with a string id and a number totalGross',
      actual: `${sayDelivery(delivery, 'deal.funded')}: ${found.problem}`,
      delivery: delivery.seq,
    });
  }
  const observations: Observation[] =
    places.size === 0
      ? []
      : [{ id: 'HOOK-04', question: 'Where is the deal of deal.funded?', observed: [...places].join(', ') }];
  return { findings: findings.list(), observations, judged };
}

/** HOOK-06: every payload meets the schema that the document declares for its kind. */
export function judgeDeclared(
  events: readonly EventPayload[],
  kinds: readonly (EventKind | null)[],
  document: Record<string, unknown> | null,
): PartJudgement & {
  readonly judged: number;
  readonly declared: readonly EventKind[];
  readonly unusable: string | null;
} {
  const findings = findingList('HOOK-06');
  const judge = payloadJudge(document);
  const declared = eventKinds.filter((kind) => declaredName(document, kind) !== null);
  const met = new Set<EventKind>();
  const failed = new Set<EventKind>();
  let judged = 0;
  let unusable: string | null = null;
  for (const [at, { delivery, document: whole, event }] of events.entries()) {
    const kind = kinds[at];
    if (kind === null || kind === undefined) continue;
    let verdict = judge(kind, whole);
    // Several events in one delivery: the declaration may describe each.
    if (verdict.kind === 'not-met' && event !== null && event !== asObject(whole))
      verdict = judge(kind, event).kind === 'met' ? { ...verdict, kind: 'met' } : verdict;
    if (verdict.kind === 'undeclared') continue;
    if (verdict.kind === 'unusable') {
      unusable ??= `the schema at ${verdict.pointer ?? ''} cannot be used: ${verdict.detail}`;
      continue;
    }
    judged += 1;
    if (verdict.kind === 'met') {
      met.add(kind);
      continue;
    }
    failed.add(kind);
    findings.add(`${kind} ${verdict.detail}`, {
      expected: `the payload of ${kind} to meet ${verdict.pointer ?? ''}`,
      actual: `${sayDelivery(delivery, kind)}: ${verdict.detail}`,
      delivery: delivery.seq,
    });
  }
  const never = declared.filter((kind) => !met.has(kind) && !failed.has(kind));
  const observations: Observation[] =
    never.length === 0
      ? []
      : [
          {
            id: 'HOOK-06',
            question: 'Which declared kinds were never seen?',
            observed: `${never.join(', ')}: not applicable, as no such event came`,
          },
        ];
  return { findings: findings.list(), observations, judged, declared, unusable };
}
