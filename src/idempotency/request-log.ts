import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, mayMean, paths } from '../service/index.js';
import { type Place, placesFor, postLead, readsOf } from '../api/index.js';
import { type Exchange, header } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import { findAnomaly } from './model/linearizability.js';
import type { Anomaly, KeyedRequest } from './model/history.js';
import type { LeadBody, Route } from './lead-body.js';
import type { LeadTraits } from './lead-traits.js';
import { answerOf, isBusy } from './lead-answer.js';

/** Whose create it is, in which place: all places but that of the second tenant are the tenant under test. */
export interface Party extends Pick<Place, 'options'> {
  readonly name: 'tenant A' | 'tenant B';
  /** Where what it creates is read. */
  readonly reads: Place['options'];
  readonly sender: Sender;
}

export type Sender = Place['name'];

/** The tenant under test in the usual place. */
export const home: Party = { name: 'tenant A', sender: 'home', options: {}, reads: {} };

/** The parties that the target offers for a route, the usual one first. */
export async function partiesFor(check: Check, route: Route): Promise<readonly Party[]> {
  const scoped = route === 'leads' ? 'API_KEY_WRITE_LEADS' : 'API_KEY_WRITE_INVENTORY';
  const places = await placesFor(check, 'POST', paths[route], scoped);
  return places.map((place) => ({
    name: place.name === 'second tenant' ? 'tenant B' : home.name,
    sender: place.name,
    options: place.options,
    reads: readsOf(place),
  }));
}

/** How a key is written: `near` has another character in that place, and is a key of its own. */
export type KeyForm =
  'usual' | 'capitals' | 'quoted' | 'no UUID' | 'long' | { readonly near: number } | { readonly version: number };

/** One create to send. */
export interface Create {
  readonly party: Party;
  readonly key: string;
  readonly form: KeyForm;
  readonly body: LeadBody;
  /** How long it waits, in parts of the time that a create took before; for creates at the same time. */
  readonly late?: number;
}

/** One create that was sent, and what came of it. */
export interface Entry extends Create {
  readonly exchange: Exchange;
  /** Whether this create was sent after the client had waited as long as the answers asked. */
  readonly isLast?: boolean;
  /** It says nothing of the key where the answer asked to try again, or refuses what is in the body, which may use up the key. */
  says: 'something' | 'nothing' | 'refused for itself';
}

const pausesMs = [60, 250] as const;

/** How long an answer asks to wait by Retry-After in seconds, up to two. */
function askedPauseMs(exchange: Exchange): number {
  const seconds = Number(header(exchange, 'retry-after'));
  return Number.isFinite(seconds) ? Math.min(2, seconds) * 1000 : 1000;
}

/** Creates leads and keeps the record that the model judges. */
export class RequestLog {
  readonly check: Check;
  readonly traits: LeadTraits;
  readonly entries: Entry[] = [];
  /** The answers to creates that were sent at the same time. */
  readonly volleys: Exchange[][] = [];
  /** The keys and the bodies of its plans, by what the plans call them; null is a body that the target does not offer. */
  readonly keys = new Map<string, string>();
  readonly bodies = new Map<string, LeadBody | null>();
  /** The second tenant, where leads can be made in it. */
  other: Party | null = null;
  /** Whether nothing contradicted the rules of keys so far. */
  holds = true;

  constructor(check: Check, traits: LeadTraits) {
    this.check = check;
    this.traits = traits;
  }

  /** Ends the check, and what is left of its plans. */
  block(reason: string): never {
    this.holds = false;
    return this.check.blocked(reason);
  }

  /** Sends one create, once. */
  async post(create: Create): Promise<Exchange> {
    const exchange = await this.#send(create);
    this.entries.push({ ...create, exchange, says: 'something' });
    return exchange;
  }

  /** Sends one create and, where the answer may only mean "still busy", twice more after a pause. */
  async settle(create: Create): Promise<Exchange> {
    for (const pauseMs of pausesMs) {
      const exchange = await this.#send(create);
      const status = exchange.response?.status ?? 0;
      const busy = status === 0 || mayMean(exchange, 408, 409, 423, 425) || status >= 500;
      this.entries.push({ ...create, exchange, says: busy ? 'nothing' : 'something' });
      if (!busy) return exchange;
      await sleep(isBusy(exchange) ? Math.max(pauseMs, askedPauseMs(exchange)) : pauseMs);
    }
    const exchange = await this.#send(create);
    this.entries.push({ ...create, exchange, says: 'something', isLast: true });
    return exchange;
  }

  async #send(create: Create): Promise<Exchange> {
    const { key, body, party } = create;
    const known = this.entries.find((entry) => entry.body.label === body.label);
    if (known !== undefined && !known.body.bytes.equals(body.bytes))
      throw new Error(`two bodies are called "${body.label}"`);
    const json = ['content-type', 'application/json'] as const;
    const options = {
      ...party.options,
      body: body.bytes,
      onLost: (exchange: Exchange) => void this.entries.push({ ...create, exchange, says: 'nothing' }),
    };
    if (body.route === 'leads') return postLead(this.check, body.fields, { ...options, key, headers: [json] });
    const headers = [json, ['idempotency-key', key] as const];
    return this.check.send({ ...options, method: 'POST', path: paths.units, headers });
  }

  /** The record as the model sees it. */
  history(entries: readonly Entry[] = this.entries): KeyedRequest[] {
    const bodies = [...new Map(this.entries.map((entry) => [entry.body.label, entry.body])).values()];
    return entries.map(({ party, key, body, exchange, says, isLast }): KeyedRequest => ({
      tenant: party.name,
      route: body.route,
      key,
      body: body.label,
      plain: body.plain && says !== 'refused for itself',
      sentAtMs: exchange.sentAtMs,
      receivedAtMs: exchange.receivedAtMs,
      answer:
        says === 'nothing'
          ? { kind: 'unknown', why: describe(exchange), open: !isRefusal(exchange) }
          : says === 'refused for itself'
            ? { kind: 'refused', status: 0 }
            : answerOf(exchange, body, bodies, isLast),
    }));
  }

  /** The answers that the model cannot explain, or null. */
  anomaly(entries: readonly Entry[] = this.entries): Anomaly | null {
    return findAnomaly(this.history(entries), this.traits);
  }
}
