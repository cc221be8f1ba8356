import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, mayMean } from '../service/index.js';
import { postLead } from '../api/index.js';
import { type Exchange, header } from '../http/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import { findAnomaly } from './model/linearizability.js';
import type { KeyedRequest, TargetTraits, Anomaly } from './model/history.js';
import type { LeadBody } from './lead-body.js';
import { answerOf, isBusy } from './lead-answer.js';

/** Whose key and tenant header a request carries. */
export interface Party {
  readonly name: string;
  readonly options: Pick<RequestOptions, 'as' | 'tenant' | 'form'>;
}

/** The tenant under test. */
export const home: Party = { name: 'tenant A', options: {} };

/** The second tenant, where one is configured. */
export function away(check: Check): Party | null {
  if (check.target.keys.OTHER_API_KEY === undefined) return null;
  return { name: 'tenant B', options: { as: 'OTHER_API_KEY', tenant: check.target.otherTenant } };
}

/** One create that was sent, and what came of it. */
export interface Entry {
  readonly party: Party;
  readonly key: string;
  readonly body: LeadBody;
  readonly exchange: Exchange;
  /** Whether this create was sent after the client had waited as long as the answers asked. */
  readonly isLast?: boolean;
  /** Repeated because the answer asked to try again: this one decides nothing. */
  readonly overtaken: boolean;
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
  readonly traits: TargetTraits;
  readonly entries: Entry[] = [];

  constructor(check: Check, traits: TargetTraits) {
    this.check = check;
    this.traits = traits;
  }

  /** Sends one create, once. */
  async post(key: string, body: LeadBody, party: Party = home): Promise<Exchange> {
    const exchange = await this.#send(key, body, party);
    this.entries.push({ party, key, body, exchange, overtaken: false });
    return exchange;
  }

  /** Sends one create and, where the answer may only mean "still busy", twice more after a pause. */
  async settle(key: string, body: LeadBody, party: Party = home): Promise<Exchange> {
    for (const pauseMs of pausesMs) {
      const exchange = await this.#send(key, body, party);
      const status = exchange.response?.status ?? 0;
      const busy = status === 0 || mayMean(exchange, 408, 409, 423, 425) || status >= 500;
      this.entries.push({ party, key, body, exchange, overtaken: busy });
      if (!busy) return exchange;
      await sleep(isBusy(exchange) ? Math.max(pauseMs, askedPauseMs(exchange)) : pauseMs);
    }
    const exchange = await this.#send(key, body, party);
    this.entries.push({ party, key, body, exchange, overtaken: false, isLast: true });
    return exchange;
  }

  async #send(key: string, body: LeadBody, party: Party): Promise<Exchange> {
    const known = this.entries.find((entry) => entry.body.label === body.label);
    if (known !== undefined && !known.body.bytes.equals(body.bytes))
      throw new Error(`two bodies are called "${body.label}"`);
    return postLead(this.check, body.fields, {
      ...party.options,
      key,
      body: body.bytes,
      headers: [['content-type', 'application/json']],
      onLost: (exchange) => this.entries.push({ party, key, body, exchange, overtaken: true }),
    });
  }

  /** The record as the model sees it. */
  history(entries: readonly Entry[] = this.entries): KeyedRequest[] {
    const bodies = [...new Map(this.entries.map((entry) => [entry.body.label, entry.body])).values()];
    return entries.map(({ party, key, body, exchange, overtaken, isLast }): KeyedRequest => ({
      tenant: party.name,
      route: 'leads',
      key,
      body: body.label,
      plain: body.plain,
      sentAtMs: exchange.sentAtMs,
      receivedAtMs: exchange.receivedAtMs,
      answer: overtaken
        ? { kind: 'unknown', why: `${describe(exchange)}, then asked again`, open: !isRefusal(exchange) }
        : answerOf(exchange, body, bodies, isLast),
    }));
  }

  /** The answers that the model cannot explain, or null. */
  anomaly(entries: readonly Entry[] = this.entries): Anomaly | null {
    return findAnomaly(this.history(entries), this.traits);
  }

  /** Exchanges of the entries at these positions. */
  exchangesAt(positions: readonly number[]): Exchange[] {
    return positions.map((at) => this.entries[at]?.exchange).filter((one) => one !== undefined);
  }

  /** Judges the whole record by the model; whether it was explained. */
  judge(code: string, expected: string, extra: Partial<Breach> = {}): boolean {
    const anomaly = this.anomaly();
    if (anomaly === null) return true;
    return this.check.fail({
      code,
      expected,
      actual: anomaly.reason,
      exchanges: this.exchangesAt(anomaly.about),
      ...extra,
    });
  }
}
