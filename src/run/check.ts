import { AsyncLocalStorage } from 'node:async_hooks';
import { acceptedTypes } from '../http/exchange.js';
import type { Exchange, HeaderLine, Surface } from '../http/exchange.js';
import type { Credential } from '../http/client.js';
import { BlockedSignal, NotApplicableSignal } from '../http/signals.js';
import { curlFor } from '../report/curl.js';
import { fingerprintOf, mostFindings } from '../requirement/fingerprint.js';
import type { CatalogueEntry } from '../requirement/requirement.js';
import type { Finding, RequirementResult, Verdict } from '../requirement/types.js';
import { flagOf } from '../target/setting-table.js';
import type { SettingName } from '../target/setting-table.js';
import type { KeyName } from '../target/target.js';
import type { LoadedContract, Run } from './run.js';
import { requiredParameters } from '../contract/required-parameters.js';
import { uuidFor } from './random.js';
import { findRequiredValues, isBadRequest, partsOf } from './required-values.js';

/** What a check says when it saw a breach. */
export interface Breach {
  readonly expected: string;
  readonly actual: string;
  readonly exchanges?: readonly Exchange[];
  /** fast-check path that leads straight to this failure. */
  readonly path?: string;
  /** The page that shows it, beside the report. */
  readonly page?: string;
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

/** Exchanges of a run that were refused for want of a value that the service accepts, with the reason, by their numbers. */
const unmetOf = new WeakMap<Run, Map<number, string>>();

/**
 * The check inside whose shared computation this is; each of several at the same time has its own answer. One for all checks: Node 20
 * visits every storage whenever a promise is made.
 */
const sharing = new AsyncLocalStorage<Check>();

/** Everything a check's body may use. */
export class Check {
  readonly entry: CatalogueEntry;
  readonly run: Run;
  readonly breaches: (Breach & { readonly soft: boolean; readonly seenAt: Error })[] = [];
  requests = 0;
  readonly #startedAtMs = performance.now();
  /** Set by a runner that has its own way of leaving a test early; must throw. */
  skip: ((reason: string) => void) | null = null;
  /** How the check ended early, where it did. */
  signal: BlockedSignal | NotApplicableSignal | null = null;
  #labels = 0;

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
    const unmet = breach.exchanges?.map((one) => unmetOf.get(this.run)?.get(one.seq)).find((one) => one !== undefined);
    // How a refusal is worded is judged all the same.
    if (unmet !== undefined && this.entry.section !== 'ENV') this.blocked(unmet);
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
    if (sharing.getStore() === this) throw signal;
    this.signal ??= signal;
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
    try {
      return await sharing.run(this, compute);
    } catch (error) {
      if (error instanceof BlockedSignal || error instanceof NotApplicableSignal) this.stop(error);
      throw error;
    }
  }

  /** The key's name, where it is configured; else not applicable, naming the setting. Without API_KEY next to nothing is judged: blocked. */
  need(name: KeyName): KeyName {
    const reason = `no key is configured: set ${name} (or ${flagOf(name)})`;
    if (this.target.keys[name] === undefined)
      if (name === 'API_KEY') this.blocked(reason);
      else this.notApplicable(reason);
    return name;
  }

  /** Text that no other run and no other place in this run has. */
  fresh(label: string): string {
    this.#labels += 1;
    return uuidFor(this.run.nonce, `${this.entry.id}/${label}/${this.#labels}`);
  }

  /**
   * Sends one request, completed with the parameters that the document requires of it, and hands back its exchange; a target that does not
   * answer is an exchange with a failure.
   */
  async send(wanted: Wanted): Promise<Exchange> {
    const { query, headers, unmet } = await this.required(wanted);
    const [givenQuery, givenHeaders] = [wanted.query ?? [], wanted.headers ?? []];
    const isGiven = (name: string): boolean =>
      givenQuery.some(([given]) => given === name) || new URLSearchParams(wanted.path.split('?')[1]).has(name);
    const exchange = await this.#send({
      ...wanted,
      query: [...query.filter(([name]) => !isGiven(name)), ...givenQuery],
      headers: [
        ...headers.filter(([name]) => !givenHeaders.some(([given]) => given.toLowerCase() === name)),
        ...givenHeaders,
      ],
    });
    // Values may be ids of records, which another tenant does not have.
    const isForeign = wanted.as === 'OTHER_API_KEY' && query.length + headers.length > 0;
    const why =
      unmet ?? (isForeign ? 'no value is known for a parameter that the document requires of the other tenant' : null);
    if (why !== null && isBadRequest(exchange)) {
      const known = unmetOf.get(this.run) ?? new Map<number, string>();
      unmetOf.set(this.run, known.set(exchange.seq, why));
    }
    return exchange;
  }

  /** The query and header parameters that the document requires of a request, and why there is no value for one, if so. */
  async required({
    method = 'GET',
    path,
    surface,
  }: Pick<Wanted, 'method' | 'path' | 'surface'>): Promise<
    Required<Pick<Wanted, 'query' | 'headers'>> & { readonly unmet: string | null }
  > {
    if (surface === 'document' || surface === 'planned') return { query: [], headers: [], unmet: null };
    const { contract } = await this.run.contract();
    const operation = contract.operation(method, path);
    if (operation === null || requiredParameters(operation).length === 0)
      return { query: [], headers: [], unmet: null };
    const { values, unmet } = await this.once(`required ${method} ${operation.fullTemplate}`, () =>
      findRequiredValues(this.run, contract, operation, path, (wanted) => this.#send(wanted)),
    );
    // A key that was used before would ask for the answer that was given then.
    const fresh = values.map((one) =>
      /^idempotency-key$/i.test(one.name) ? { ...one, value: this.fresh('required key') } : one,
    );
    return { ...partsOf(fresh), unmet };
  }

  async #send(wanted: Wanted): Promise<Exchange> {
    const { target, redactor } = this.run;
    const surface = wanted.surface ?? 'production';
    const as =
      wanted.as === undefined ? (surface === 'production' || surface === 'planned' ? 'API_KEY' : null) : wanted.as;
    const credential =
      typeof as === 'string' ? { name: this.need(as), authorization: `Bearer ${target.keys[as] ?? ''}` } : as;
    const refused = typeof as === 'string' ? (await this.run.targetState()).refused : null;
    if (refused !== null) this.blocked(refused);
    // A made-up key is no secret of anybody's where it is the tenant's own name.
    if (credential !== null && typeof as !== 'string' && !credential.authorization.endsWith(` ${target.tenant ?? ''}`))
      redactor.add(credential.name, credential.authorization.replace(/^\S+\s+/, ''));
    const headers: HeaderLine[] = [['accept', acceptedTypes]];
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
  conclude(ended: unknown): RequirementResult {
    const hard = this.breaches.filter((one) => !one.soft);
    const shown = hard.length > 0 ? [...hard, ...this.breaches.filter((one) => one.soft)] : this.breaches;
    const clean = (text: string): string => this.run.redactor.text(text);
    const findings = shown.slice(0, mostFindings).map((one): Finding => {
      const last = one.exchanges?.at(-1);
      const words = { expected: clean(one.expected), actual: clean(one.actual) };
      return {
        ...words,
        ...(last ? { curl: curlFor(last) } : {}),
        replay: `${this.run.replay(this.entry.id)}${one.path === undefined ? '' : ` --path ${one.path}`}`,
        exchanges: (one.exchanges ?? []).slice(-12).map((exchange) => String(exchange.seq)),
        ...(one.page === undefined ? {} : { page: one.page }),
        fingerprint: fingerprintOf(this.entry.id, words),
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
      seconds: Math.round(performance.now() - this.#startedAtMs) / 1000,
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
    return say('pass', this.entry.level === 'OBSERVE' ? 'observed' : 'no breach in any exchange that was judged');
  }
}

/** What came in place of JSON: its media type, size and first characters; nothing to add where it was JSON. */
function unlikeJson({ response, request }: Exchange): string {
  if (response === null || response.json !== undefined || request.method === 'HEAD') return '';
  const bytes = response.body.length;
  if (bytes === 0) return ' with an empty body';
  const type = response.headers.find(([name]) => name === 'content-type')?.[1].split(';')[0] ?? 'no content type';
  const start = response.text?.replace(/\s+/g, ' ').slice(0, 60) ?? null;
  return ` with ${bytes} bytes of ${type}${start === null ? ', no UTF-8' : `: ${JSON.stringify(start)}`}`;
}

/** `GET /api/v1/units?limit=5 → 200`, for sentences; with what came instead where that was no JSON. */
export function describe(exchange: Exchange): string {
  const answer =
    exchange.response === null
      ? (exchange.failure?.kind ?? 'no answer')
      : `${exchange.response.status}${unlikeJson(exchange)}`;
  const path = exchange.request.path.length > 120 ? `${exchange.request.path.slice(0, 117)}…` : exchange.request.path;
  return `${exchange.request.method} ${path} → ${answer}`;
}
