import type { Exchange, HeaderLine, Surface } from '../http/exchange.js';
import type { Credential } from '../http/client.js';
import { BlockedSignal, NotApplicableSignal } from '../http/signals.js';
import { curlFor } from '../report/curl.js';
import type { CatalogueEntry } from '../requirement/requirement.js';
import type { Finding, RequirementResult, Verdict } from '../requirement/types.js';
import { flagOf } from '../target/setting-table.js';
import type { SettingName } from '../target/setting-table.js';
import type { KeyName } from '../target/target.js';
import type { LoadedContract, Run } from './run.js';
import { uuidFor } from './random.js';

/** What a check says when it saw a breach. */
export interface Breach {
  readonly expected: string;
  readonly actual: string;
  readonly exchanges?: readonly Exchange[];
  /** fast-check path that leads straight to this failure. */
  readonly path?: string;
}

/** One request as a check words it; paths are below `{base_url}`. */
export interface Wanted {
  readonly method?: string;
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  /** A configured key by its setting's name, a made-up credential, or null for none; API_KEY unless said. */
  readonly as?: KeyName | Credential | null;
  /** X-Tenant; the configured tenant unless said, null for no header. */
  readonly tenant?: string | null;
  readonly headers?: readonly HeaderLine[];
  readonly json?: unknown;
  readonly body?: Buffer;
  readonly surface?: Surface;
  readonly base?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly raw?: boolean;
  /** The body goes out in small pieces with pauses, so that an answer before its end is read before more is sent. */
  readonly slowly?: boolean;
}

/** Everything a check's body may use. */
export class Check {
  readonly entry: CatalogueEntry;
  readonly run: Run;
  readonly breaches: (Breach & { readonly soft: boolean; readonly seenAt: Error })[] = [];
  requests = 0;
  /** Set by a runner that has its own way of leaving a test early; must throw. */
  skip: ((reason: string) => void) | null = null;
  /** How the check ended early, where it did. */
  signal: BlockedSignal | NotApplicableSignal | null = null;
  #labels = 0;
  #sharing = 0;

  constructor(entry: CatalogueEntry, run: Run) {
    this.entry = entry;
    this.run = run;
  }

  get target(): Run['target'] {
    return this.run.target;
  }

  contract(): Promise<LoadedContract> {
    return this.once('loaded contract', () => this.run.contract());
  }

  /**
   * Records a breach of the requirement's own level. Where it leans on an answer that was longer than this suite reads, nobody knows
   * what that said: then the check is blocked.
   */
  breach(breach: Breach): void {
    const cut = breach.exchanges?.find((one) => one.failure?.kind === 'too-large');
    if (cut !== undefined)
      this.blocked(
        `${describe(cut)} was not read to its end (${cut.failure?.message ?? ''}), so nothing is known of it`,
      );
    this.breaches.push({
      ...breach,
      soft: this.entry.level === 'SHOULD' || this.entry.level === 'OBSERVE',
      seenAt: new Error(breach.actual),
    });
  }

  /** Records that a recommendation was not followed: warns, never fails. */
  caution(breach: Breach): void {
    this.breaches.push({ ...breach, soft: true, seenAt: new Error(breach.actual) });
  }

  /** Answers something that the specification leaves open. */
  observe(question: string, observed: string): void {
    this.run.observations.push({ id: this.entry.id, question, observed: this.run.redactor.text(observed) });
  }

  blocked(reason: string): never {
    return this.stop(new BlockedSignal(reason));
  }

  notApplicable(reason: string): never {
    return this.stop(new NotApplicableSignal(reason));
  }

  /** Ends the check; inside a computation that other checks share, as a plain exception that is remembered for all of them. */
  stop(signal: BlockedSignal | NotApplicableSignal): never {
    if (this.#sharing > 0) throw signal;
    this.signal = signal;
    this.skip?.(signal.message);
    throw signal;
  }

  /** As `once`, for what did not come as an exchange: it is kept with the evidence, so that the check can be graded again. */
  async recorded<T>(name: string, make: () => Promise<T>, secrets?: readonly SettingName[]): Promise<T> {
    return this.#shared(() => this.run.recorded(name, make, secrets));
  }

  /** Computes something once in a run; where that was blocked, so is every check that asks for it. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#shared(() => this.run.once(name, make));
  }

  async #shared<T>(compute: () => Promise<T>): Promise<T> {
    this.#sharing += 1;
    try {
      return await compute();
    } catch (error) {
      if (this.#sharing === 1 && (error instanceof BlockedSignal || error instanceof NotApplicableSignal)) {
        this.#sharing = 0;
        this.stop(error);
      }
      throw error;
    } finally {
      this.#sharing = Math.max(0, this.#sharing - 1);
    }
  }

  /** The key's name, where it is configured; else not applicable, naming the setting. */
  need(name: KeyName): KeyName {
    if (this.target.keys[name] === undefined)
      this.notApplicable(`no key is configured: set ${name} (or ${flagOf(name)})`);
    return name;
  }

  /** Text that no other run and no other place in this run has. */
  fresh(label: string): string {
    this.#labels += 1;
    return uuidFor(this.run.nonce, `${this.entry.id}/${label}/${this.#labels}`);
  }

  /** Sends one request and hands back its exchange; a target that does not answer is an exchange with a failure. */
  async send(wanted: Wanted): Promise<Exchange> {
    const { target, redactor } = this.run;
    const surface = wanted.surface ?? 'production';
    const as =
      wanted.as === undefined ? (surface === 'production' || surface === 'planned' ? 'API_KEY' : null) : wanted.as;
    const credential =
      typeof as === 'string' ? { name: this.need(as), authorization: `Bearer ${target.keys[as] ?? ''}` } : as;
    // A made-up key is no secret of anybody's where it is the tenant's own name.
    if (credential !== null && typeof as !== 'string' && !credential.authorization.endsWith(` ${target.tenant ?? ''}`))
      redactor.add(credential.name, credential.authorization.replace(/^\S+\s+/, ''));
    const headers: HeaderLine[] = [['accept', 'application/json']];
    const tenant =
      wanted.tenant === undefined
        ? surface === 'production' || surface === 'planned'
          ? target.tenant
          : null
        : wanted.tenant;
    if (tenant !== null) headers.push(['x-tenant', tenant]);
    const body = wanted.body ?? (wanted.json === undefined ? null : Buffer.from(JSON.stringify(wanted.json)));
    if (wanted.json !== undefined) headers.push(['content-type', 'application/json']);
    headers.push(...(wanted.headers ?? []));
    const query = (wanted.query ?? [])
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');
    const exchange = await this.#dispatch({
      method: wanted.method ?? 'GET',
      url: `${wanted.base ?? target.baseUrl}${wanted.path}${query ? `${wanted.path.includes('?') ? '&' : '?'}${query}` : ''}`,
      surface,
      headers,
      credential,
      body,
      ...(wanted.timeoutMs === undefined ? {} : { timeoutMs: wanted.timeoutMs }),
      ...(wanted.maxBytes === undefined ? {} : { maxBytes: wanted.maxBytes }),
      ...(wanted.raw === undefined ? {} : { raw: wanted.raw }),
      ...(wanted.slowly === undefined ? {} : { slowly: wanted.slowly }),
    });
    this.requests += 1 + exchange.throttled;
    return exchange;
  }

  async #dispatch(ask: Parameters<Run['client']['send']>[1]): Promise<Exchange> {
    try {
      return await this.run.client.send(this.entry.id, ask);
    } catch (error) {
      if (error instanceof BlockedSignal) return this.stop(error);
      throw error;
    }
  }

  /** As `send`, but an exchange without an answer blocks the check. */
  async ask(wanted: Wanted): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
    const exchange = await this.send(wanted);
    if (exchange.response === null)
      this.blocked(`${describe(exchange)} got no usable answer: ${exchange.failure?.message ?? 'nothing'}`);
    return { ...exchange, response: exchange.response };
  }

  /** The verdict, computed once, from how the body ended and what it recorded. */
  conclude(ended: unknown, replayCommand: string): RequirementResult {
    const hard = this.breaches.filter((one) => !one.soft);
    const shown = hard.length > 0 ? [...hard, ...this.breaches.filter((one) => one.soft)] : this.breaches;
    const clean = (text: string): string => this.run.redactor.text(text);
    const findings = shown.slice(0, 20).map((one): Finding => {
      const last = one.exchanges?.at(-1);
      return {
        expected: clean(one.expected),
        actual: clean(one.actual),
        ...(last ? { curl: curlFor(last) } : {}),
        replay: `${replayCommand}${one.path === undefined ? '' : ` --path ${one.path}`}`,
        exchanges: (one.exchanges ?? []).slice(-12).map((exchange) => String(exchange.seq)),
      };
    });
    const say = (verdict: Verdict, reason: string): RequirementResult => ({
      id: this.entry.id,
      section: this.entry.section,
      level: this.entry.level,
      title: this.entry.title,
      source: this.entry.source,
      verdict,
      reason: clean(reason),
      findings,
      requests: this.requests,
    });
    const first = shown[0];
    const told = first
      ? `expected ${first.expected}; seen: ${first.actual}${shown.length > 1 ? ` (and ${shown.length - 1} more)` : ''}`
      : '';
    if (hard.length > 0) return say('fail', told);
    if (ended instanceof NotApplicableSignal) return say('not-applicable', ended.message);
    if (ended instanceof BlockedSignal) return say('blocked', ended.message);
    if (ended !== undefined)
      return say(
        'error',
        `the suite itself failed here: ${ended instanceof Error ? ended.message : JSON.stringify(ended)}`,
      );
    if (first) return say('warn', told);
    return say('pass', this.entry.level === 'OBSERVE' ? 'observed' : 'held in every exchange that was judged');
  }
}

/** `GET /api/v1/units?limit=5 → 200`, for sentences. */
export function describe(exchange: Exchange): string {
  const answer =
    exchange.response === null ? (exchange.failure?.kind ?? 'no answer') : String(exchange.response.status);
  const path = exchange.request.path.length > 120 ? `${exchange.request.path.slice(0, 117)}…` : exchange.request.path;
  return `${exchange.request.method} ${path} → ${answer}`;
}
