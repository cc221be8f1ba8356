import { isSuccess, quote, recordId } from '../../service/index.js';
import type { LeadBody } from '../lead-body.js';
import type { Entry } from '../request-log.js';
import { recordsOf, type LeadList } from '../lead-list.js';

/** Contradictions between a list of leads and every possible order of the creates. */
export interface Miscount {
  /** The same in two readings of the list where it is the same thing. */
  readonly about: string;
  readonly actual: string;
  readonly entries: readonly Entry[];
}

function bodiesOf(entries: readonly Entry[]): LeadBody[] {
  return [...new Map(entries.map((entry) => [entry.body.label, entry.body])).values()].filter(
    (body) => body.marks.length > 0,
  );
}

function keysOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.map((entry) => entry.key))];
}

function names(records: readonly Record<string, unknown>[]): string {
  return records.map((record) => recordId(record) ?? quote(record)).join(', ');
}

/** More than one lead for a key, more leads of one body than keys it was sent under, or the data of a body that came too late. */
export function miscounts(entries: readonly Entry[], list: LeadList): Miscount[] {
  const out: Miscount[] = [];
  for (const key of keysOf(entries)) {
    const own = entries.filter((entry) => entry.key === key);
    const exclusive = bodiesOf(own).filter((body) =>
      entries.every((entry) => entry.key === key || !entry.body.marks.some((mark) => body.marks.includes(mark))),
    );
    const records = new Map(
      exclusive
        .flatMap((body) => recordsOf(list, body))
        .map((record) => [recordId(record) ?? JSON.stringify(record), record]),
    );
    if (records.size > 1) {
      out.push({
        about: `key ${key}`,
        actual: `the list shows ${records.size} leads made under one key: ${names([...records.values()])}`,
        entries: own,
      });
      continue;
    }
    const first = own[0];
    if (first === undefined || !first.body.plain || !isSuccess(first.exchange)) continue;
    const late = exclusive.find(
      (body) =>
        !first.body.marks.some((mark) => body.marks.includes(mark)) &&
        own.every(
          (entry) => entry.body.label !== body.label || entry.exchange.sentAtMs > first.exchange.receivedAtMs,
        ) &&
        recordsOf(list, body).length > 0,
    );
    if (late !== undefined) {
      out.push({
        about: `late ${key}`,
        actual: `the list shows ${names(recordsOf(list, late))} with the data of ${late.label}, sent when its key already stood for the lead of ${first.body.label}`,
        entries: own,
      });
    }
  }
  for (const body of bodiesOf(entries)) {
    const own = entries.filter((entry) => entry.body.label === body.label);
    const keys = keysOf(own).length;
    const records = recordsOf(list, body);
    if (keys > 1 && records.length > keys) {
      out.push({
        about: `body ${body.label}`,
        actual: `the list shows ${records.length} leads of ${body.label}, which was sent under ${keys} keys: ${names(records)}`,
        entries: own,
      });
    }
  }
  return out;
}

/**
 * Keys that were answered with a lead after a refusal, but whose lead is missing from the list. Reported only where the list shows every
 * lead made without a refusal, one of them later.
 */
export function neverMade(entries: readonly Entry[], list: LeadList): string[] {
  if (!list.complete) return [];
  const made = keysOf(entries).flatMap((key) => {
    const own = entries.filter((entry) => entry.key === key);
    const at = own.findIndex((entry) => isSuccess(entry.exchange));
    const success = own[at];
    if (success === undefined || !success.body.plain) return [];
    return [{ key, success, refused: at > 0, listed: recordsOf(list, success.body).length > 0 }];
  });
  const controls = made.filter((one) => !one.refused);
  if (controls.some((one) => !one.listed)) return [];
  return made
    .filter(
      (one) =>
        one.refused &&
        !one.listed &&
        controls.some((other) => other.success.exchange.sentAtMs > one.success.exchange.receivedAtMs),
    )
    .map((one) => one.key);
}
