import { quote } from '../../service/index.js';
import { type EventKind, eventKinds, isEventKind } from '../../openapi/index.js';
import type { EventPayload } from '../event-payload.js';
import { findKindPlace, isUsualPlace, kindTexts } from '../kind-place.js';
import type { HookReport } from './hook-report.js';

/** An event and its kind; null where none of the thirteen stands in the place of the kind. */
export interface KindedEvent extends EventPayload {
  readonly kind: EventKind | null;
}

const looksLikeKind = /^(?:lead|deal|unit|call|service)s?[._:/-][a-z_]+$/i;

/** HOOK-03: every event's kind is one of the thirteen, and stands in the same place in all of them. */
export function judgeKinds(report: HookReport, events: readonly EventPayload[]): readonly KindedEvent[] {
  const all = events.map(kindTexts);
  const place = findKindPlace(all);
  const usual = [...new Set(all.flatMap((texts) => [...texts.keys()]))].filter(
    (one) => one !== place && isUsualPlace(one),
  );
  // Another usual place counts as a second place of the kind only where most events show it so.
  const second = usual.filter((one) => all.filter((texts) => isEventKind(texts.get(one))).length * 2 > all.length);
  const kinded = events.map((event, at): KindedEvent => {
    const text = place === null ? undefined : all[at]?.get(place);
    if (!isEventKind(text)) {
      report.add('HOOK-03', text ?? 'none', event.delivery, {
        code: 'no-kind',
        expected: 'a kind that is one of the thirteen, in the same place of every delivery',
        actual:
          place === null
            ? ` carries none in its headers or payload: ${quote(event.document)}`
            : ` has ${quote(text)} at ${place}`,
      });
      return { ...event, kind: null };
    }
    for (const one of second) {
      const beside = all[at]?.get(one);
      if (beside === undefined || beside === text) continue;
      report.add('HOOK-03', `second ${one}`, event.delivery, {
        severity: !isEventKind(beside) && looksLikeKind.test(beside) ? 'fail' : 'warn',
        code: 'two-kinds',
        field: one,
        expected: `the same kind wherever a delivery carries it (${String(place)}, ${one})`,
        actual: ` has ${quote(text)} and ${quote(beside)}`,
      });
    }
    return { ...event, kind: text };
  });
  const seen = new Set(kinded.flatMap(({ kind }) => kind ?? []));
  const missing = eventKinds.filter((kind) => !seen.has(kind));
  if (place !== null && seen.size > 0) report.observe('HOOK-03', 'Where is the kind of an event?', place);
  report.observe(
    'HOOK-03',
    'Which kinds were seen?',
    `${seen.size} of ${eventKinds.length}${missing.length === 0 ? '' : `; not applicable, as never seen: ${missing.join(', ')}`}`,
  );
  report.judged['HOOK-03'] = events.length;
  return kinded;
}
