import { objectsIn, type EventPayload } from './event-payload.js';
import { isEventKind } from '../openapi/index.js';

/** The place of the kind, such as `body type`, `body event.type` or `header x-event`. */
export type KindPlace = string;

const usualNames = 'type event kind name eventtype eventname eventkind topic action trigger'.split(' ');
const metaName = /^(?:event|meta|metadata|header|envelope)$/i;
const bare = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

function rank(place: KindPlace): number {
  const [half = '', path = ''] = place.split(' ');
  const names = path.split('.');
  const known = usualNames.indexOf(bare(names.at(-1) ?? ''));
  if (half === 'header') return /event|topic|kind|type/.test(path) ? 50 : 200;
  if (half === 'path' || half === 'query') return 100;
  return (
    (known < 0 ? 60 : known) +
    (names.length - 1) * 12 +
    (names.slice(0, -1).some((name) => metaName.test(name)) ? -8 : 0)
  );
}

/** Whether a place is one where only a kind would stand. */
export function isUsualPlace(place: KindPlace): boolean {
  const [half, path = ''] = place.split(' ');
  if (half === 'header') return /(?:event|topic|kind)(?:-?(?:type|name|kind))?$/.test(path) && !/id$/.test(path);
  const names = path.split('.');
  return (
    half === 'body' &&
    names.length <= 2 &&
    usualNames.includes(bare(names.at(-1) ?? '')) &&
    (names.length === 1 || metaName.test(names[0] ?? ''))
  );
}

/** Every text in a delivery that may be a kind, by its place. */
export function kindTexts(payload: EventPayload): ReadonlyMap<KindPlace, string> {
  const texts = new Map<KindPlace, string>();
  const put = (place: KindPlace, text: unknown): void => {
    if (typeof text === 'string' && text.length <= 80 && !texts.has(place)) texts.set(place, text);
  };
  if (payload.event !== null) {
    for (const { place, object } of objectsIn(payload.event, 3)) {
      for (const [name, value] of Object.entries(object))
        put(`body ${place === '' ? name : `${place}.${name}`}`, value);
    }
  }
  for (const [name, value] of payload.delivery.headers)
    if (isEventKind(value) || /event|topic|kind/.test(name)) put(`header ${name}`, value);
  const url = URL.canParse(payload.delivery.path, 'http://x') ? new URL(payload.delivery.path, 'http://x') : null;
  for (const [name, value] of url?.searchParams ?? []) put(`query ${name}`, value);
  const last = url?.pathname.split('/').slice(3).join('.') ?? '';
  if (last !== '') put('path end', decodeURIComponentSafely(last));
  return texts;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The location of the event kind in the payload: the one where most events carry one of the thirteen kinds; among equals the most usual.
 * Where no event has a known kind, the most usual location that every event has; null where there is none.
 */
export function findKindPlace(all: readonly ReadonlyMap<KindPlace, string>[]): KindPlace | null {
  const counts = new Map<KindPlace, { known: number; present: number }>();
  for (const texts of all) {
    for (const [place, text] of texts) {
      const count = counts.get(place) ?? { known: 0, present: 0 };
      count.present += 1;
      if (isEventKind(text)) count.known += 1;
      counts.set(place, count);
    }
  }
  const places = [...counts].filter(([place, count]) => count.known > 0 || isUsualPlace(place));
  // A place that is read as the kind has to be there; an unusual one has to say nothing but kinds.
  const score = ([place, count]: (typeof places)[number]): number =>
    count.known * 1_000 + (isUsualPlace(place) ? 300 : 0) + count.present - rank(place);
  const best = places.sort((a, b) => score(b) - score(a) || (a[0] < b[0] ? -1 : 1))[0];
  return best?.[0] ?? null;
}
