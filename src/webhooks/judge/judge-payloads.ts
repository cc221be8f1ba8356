import { asObject, quote } from '../../service/index.js';
import type { Observation } from '../../requirement/index.js';
import { declaredName, payloadJudge } from '../declared-payloads.js';
import { type EventKind, eventKinds } from '../../openapi/index.js';
import { objectsIn, type EventPayload } from '../event-payload.js';
import { findingList, sayDelivery, type PartJudgement } from './hook-findings.js';

const usualPlaces = [
  'deal',
  'data.deal',
  'data.object',
  'data',
  'payload.deal',
  'payload',
  'object',
  'resource',
  'record',
  '',
];
const pastNames = /(?:^|\.)(?:previous\w*|before|old\w*|changes|diff|prior)(?:\.|$)/i;

/** The deal in a `deal.funded` payload. */
interface FundedDeal {
  /** The place of the deal, such as `data.deal`; empty for the event itself, null if nothing looks like a deal. */
  readonly place: string | null;
  /** The error in it, or null. */
  readonly problem: string | null;
}

function problemOf(deal: Record<string, unknown>): string | null {
  const wrong: string[] = [];
  if (!Object.hasOwn(deal, 'id')) wrong.push('it has no id');
  else if (typeof deal['id'] !== 'string' || deal['id'] === '') wrong.push(`its id is ${quote(deal['id'])}`);
  if (!Object.hasOwn(deal, 'totalGross')) wrong.push('it has no totalGross');
  else if (typeof deal['totalGross'] !== 'number' || !Number.isFinite(deal['totalGross']))
    wrong.push(`its totalGross is ${quote(deal['totalGross'])}`);
  return wrong.length === 0 ? null : wrong.join(' and ');
}

/** Finds the deal in a `deal.funded` event, wherever it stands, and holds it to the floor: string `id`, number `totalGross` (§2, §6). */
function findFundedDeal(event: Record<string, unknown>): FundedDeal {
  const order = (place: string): number => {
    const at = usualPlaces.indexOf(place);
    return at < 0 ? usualPlaces.length + place.split('.').length : at;
  };
  const present = objectsIn(event).filter(({ place }) => !pastNames.test(place));
  const carrying = present.filter(({ object }) => Object.hasOwn(object, 'totalGross'));
  const named = present.filter(({ place }) => /(?:^|\.)deal$/.test(place) || place === 'data');
  const candidates = [...(carrying.length > 0 ? carrying : named)].sort((a, b) => order(a.place) - order(b.place));
  const right = candidates.find(({ object }) => problemOf(object) === null);
  if (right) return { place: right.place, problem: null };
  const [nearest] = candidates;
  if (nearest === undefined) return { place: null, problem: 'no deal with totalGross anywhere in the payload' };
  return {
    place: nearest.place,
    problem: `the deal at ${nearest.place === '' ? 'the top of the payload' : nearest.place}: ${problemOf(nearest.object) ?? ''}`,
  };
}

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
      code: 'no-deal',
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
      code: 'schema-broken',
      field: kind,
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
