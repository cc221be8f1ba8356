import { asArray, asObject } from '../service/index.js';
import { decodeJson, decodeText } from '../http/index.js';
import type { Delivery } from './delivery.js';

/** One event: a delivery's JSON, or one element where a delivery carries several. */
export interface EventPayload {
  readonly delivery: Delivery;
  /** The parsed body; undefined where it is no JSON. */
  readonly document: unknown;
  /** The event's own object; null where there is none. */
  readonly event: Record<string, unknown> | null;
}

/** The events of a delivery: its object, or the objects of an array or of an `events` list. */
export function eventsOf(delivery: Delivery): readonly EventPayload[] {
  const document = delivery.problem === null ? decodeJson(decodeText(delivery.body)) : undefined;
  const whole = asObject(document);
  const list = asArray(document) ?? (whole === null ? null : asArray(whole['events']));
  const several = (list ?? []).map(asObject).filter((one) => one !== null);
  if (several.length > 0 && several.length === list?.length)
    return several.map((event) => ({ delivery, document, event }));
  return [{ delivery, document, event: whole }];
}

/** An object somewhere in a payload. */
export interface PayloadObject {
  /** Names from the root, as in `data.deal`; empty for the root itself. */
  readonly place: string;
  readonly object: Record<string, unknown>;
}

/** The object itself and every object in it, outermost first, at most `depth` levels down; JSON kept as text is opened too. */
export function objectsIn(root: Record<string, unknown>, depth = 5): readonly PayloadObject[] {
  const found: PayloadObject[] = [{ place: '', object: root }];
  const levels = [{ place: '', object: root, depth: 0 }];
  for (let at = 0; at < levels.length && found.length < 500; at += 1) {
    const level = levels[at];
    if (level === undefined || level.depth >= depth) continue;
    for (const [name, value] of Object.entries(level.object)) {
      const opened = typeof value === 'string' && value.startsWith('{') ? decodeJson(value) : value;
      for (const inner of asArray(opened) ?? [opened]) {
        const object = asObject(inner);
        if (object === null) continue;
        const place = level.place === '' ? name : `${level.place}.${name}`;
        found.push({ place, object });
        levels.push({ place, object, depth: level.depth + 1 });
      }
    }
  }
  return found;
}
