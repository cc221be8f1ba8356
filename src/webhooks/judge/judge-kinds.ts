import { quote } from '../../service/index.js';
import type { Observation } from '../../requirement/index.js';
import { type EventKind, eventKinds, isEventKind } from '../../openapi/index.js';
import type { EventPayload } from '../event-payload.js';
import { findingList, sayDelivery, type PartJudgement } from './hook-findings.js';
import { findKindPlace, isUsualPlace, kindTexts } from '../kind-place.js';

/** Kinds as they were read, beside what is wrong with them. */
export interface KindJudgement extends PartJudgement {
  /** The kind of each event, in the order given; null where none of the thirteen stands there. */
  readonly kinds: readonly (EventKind | null)[];
  readonly seen: ReadonlySet<EventKind>;
}

const looksLikeKind = /^(?:lead|deal|unit|call|service)s?[._:/-][a-z_]+$/i;

/** HOOK-03: every event's kind is one of the thirteen, and stands in the same place in all of them. */
export function judgeKinds(events: readonly EventPayload[]): KindJudgement {
  const findings = findingList('HOOK-03');
  const observations: Observation[] = [];
  const all = events.map(kindTexts);
  const place = findKindPlace(all);
  const usual = [...new Set(all.flatMap((texts) => [...texts.keys()]))].filter(
    (one) => one !== place && isUsualPlace(one),
  );
  // Another usual place counts as a second place of the kind only where most events show it so.
  const second = usual.filter((one) => all.filter((texts) => isEventKind(texts.get(one))).length * 2 > all.length);
  const kinds = events.map((event, at): EventKind | null => {
    const texts = all[at];
    const text = place === null ? undefined : texts?.get(place);
    if (!isEventKind(text)) {
      findings.add(text ?? 'none', {
        code: 'no-kind',
        expected: 'a kind that is one of the thirteen, in the same place of every delivery',
        actual:
          place === null
            ? `${sayDelivery(event.delivery)} carries none in its headers or payload: ${quote(event.document)}`
            : `${sayDelivery(event.delivery)} has ${quote(text)} at ${place}`,
        delivery: event.delivery.seq,
      });
      return null;
    }
    for (const one of second) {
      const beside = texts?.get(one);
      if (beside === undefined || beside === text) continue;
      findings.add(`second ${one}`, {
        severity: !isEventKind(beside) && looksLikeKind.test(beside) ? 'fail' : 'warn',
        code: 'two-kinds',
        field: one,
        expected: `the same kind wherever a delivery carries it (${String(place)}, ${one})`,
        actual: `${sayDelivery(event.delivery)} has ${quote(text)} and ${quote(beside)}`,
        delivery: event.delivery.seq,
      });
    }
    return text;
  });
  const seen = new Set(kinds.filter((kind) => kind !== null));
  const missing = eventKinds.filter((kind) => !seen.has(kind));
  if (place !== null && seen.size > 0)
    observations.push({ id: 'HOOK-03', question: 'Where is the kind of an event?', observed: place });
  observations.push({
    id: 'HOOK-03',
    question: 'Which kinds were seen?',
    observed: `${seen.size} of ${eventKinds.length}${missing.length === 0 ? '' : `; not applicable, as never seen: ${missing.join(', ')}`}`,
  });
  return { findings: findings.list(), observations, kinds, seen };
}
