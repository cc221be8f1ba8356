import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AnswerPart,
  BlockedSignal,
  describe,
  type Exchange,
  NotApplicableSignal,
  UnjudgedSignal,
} from '../http/index.js';
import { type KeyName, type Remedy, type SettingName, withRemedy } from '../settings/index.js';
import { type CatalogueEntry, type Observation, type RequirementResult, unmetNeed } from '../requirement/index.js';
import { resultOf } from './result-of.js';
import type { LoadedContract, Run } from './run.js';
import { requiredParameters } from '../openapi/index.js';
import { uuidFor } from './random.js';
import { exchangesOf, type Evidence, type Match, type Matcher } from './matcher.js';
import { completed, findRequiredValues, isBadRequest, partsOf, type RequiredValues } from './required-values.js';
import { askOf, isAuthenticated, type RequestOptions } from './request-options.js';

export { describe };

/** A breach that a check reports. */
export interface Breach {
  /** Names the kind of breach within its requirement, the same in every version and for every value: `no-list`. */
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  readonly exchanges?: readonly Exchange[];
  /** The part of the document or of an answer that it is about. */
  readonly field?: string;
  readonly part?: AnswerPart;
  /** fast-check path that reproduces this failure. */
  readonly path?: string;
  /** The page that shows it, beside the report. */
  readonly page?: string;
  /** The first requirement set that demands it, where that is later than the requirement's own: in a run by an earlier set it warns. */
  readonly since?: string;
}

/** Refusals of a run that have a reason other than what was asked for, with the reason, by their numbers. */
const unmetOf = new WeakMap<Run, Map<number, string>>();

/** Another way to the same API: how it changes a request, and how a finding names it. */
export interface Way {
  readonly name: string;
  change(options: RequestOptions): RequestOptions;
}

/** A part of a check that may be done beside others: each draws random values of its own, by its name. */
interface Branch {
  readonly check: Check;
  readonly way: Way | undefined;
  readonly name: string;
}

/** One for all checks: each such storage makes every promise of the process dearer, for as long as it runs. */
const branches = new AsyncLocalStorage<Branch>();

/** Everything a check's body may use. */
export class Check {
  readonly entry: CatalogueEntry;
  readonly run: Run;
  readonly breaches: (Breach & {
    readonly soft: boolean;
    readonly way: string | undefined;
    /** The stack of where it was reported, and of where it is stated what was judged. */
    readonly statedAt: string;
  })[] = [];
  requests = 0;
  /** The stack of where it is stated what is judged now: the requirement, or its row. */
  statedAt = '';
  readonly #startedAtMs = performance.now();
  readonly #counts = new Map<string, number>();

  readonly #round: number;

  /** `round` counts from 1: a check that is run again draws other texts. */
  constructor(entry: CatalogueEntry, run: Run, round = 1) {
    this.entry = entry;
    this.run = run;
    this.#round = round;
  }

  get #branch(): Pick<Branch, 'way' | 'name'> {
    const branch = branches.getStore();
    return branch?.check === this ? branch : { way: undefined, name: '' };
  }

  /** The way of the requests of this branch, unless it is the usual one. */
  get #way(): Way | undefined {
    return this.#branch.way;
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }

  get target(): Run['target'] {
    return this.run.target;
  }

  contract(): Promise<LoadedContract> {
    return this.once('loaded contract', () => this.run.contract());
  }

  /**
   * Records a breach of the requirement's own level. Where it leans on an answer that was longer than this suite reads, nobody knows
   * what that said: then the check is blocked. Returns that what was judged does not hold.
   */
  fail(breach: Breach): false {
    const cut = breach.exchanges?.find((one) => one.failure?.kind === 'too-large');
    if (cut !== undefined)
      this.blocked(
        `${describe(cut)} was not read to its end (${cut.failure?.message ?? ''}), so nothing is known of it`,
      );
    const unmet = breach.exchanges?.map((one) => this.doubtOf(one)).find((one) => one !== null) ?? null;
    // How a refusal is worded is judged all the same.
    if (unmet !== null && this.entry.section !== 'ENV') this.blocked(unmet);
    return this.#record(breach, this.entry.level === 'SHOULD' || this.entry.level === 'OBSERVE');
  }

  /** Records that a recommendation was not followed: warns, never fails. */
  warn(breach: Breach): false {
    return this.#record(breach, true);
  }

  #record(breach: Breach, soft: boolean): false {
    const upcoming = breach.since !== undefined && breach.since > this.run.set;
    const way = this.#way?.name;
    const words = [breach.expected, way, upcoming ? `upcoming in the set ${breach.since}` : undefined];
    this.breaches.push({
      ...breach,
      expected: words.filter((one) => one !== undefined).join(', '),
      soft: soft || upcoming,
      way,
      statedAt: `${new Error().stack ?? ''}\n${this.statedAt}`,
    });
    return false;
  }

  /**
   * Records a failure where the value does not match, with the exchanges that show it; returns whether it matches. Pass the value where it
   * is only a part of the evidence: `expect(page, holdsAtMost(5), page.items)`. Without an answer the check is blocked.
   */
  expect<T extends Evidence>(evidence: T, matcher: Matcher<T>): boolean;
  expect<T>(evidence: Evidence, matcher: Matcher<T>, value: T): boolean;
  expect(evidence: Evidence, matcher: Matcher<unknown>, value: unknown = evidence): boolean {
    return this.#hold(evidence, matcher(value), (breach) => this.fail(breach));
  }

  /** As `expect`, for what is merely recommended: warns, never fails. */
  recommend<T extends Evidence>(evidence: T, matcher: Matcher<T>): boolean {
    return this.#hold(evidence, matcher(evidence), (breach) => this.warn(breach));
  }

  #hold(evidence: Evidence, { pass, soft: _, ...words }: Match, record: (breach: Breach) => false): boolean {
    if (pass) return true;
    const exchanges = exchangesOf(evidence);
    const lost = exchanges.find((exchange) => exchange.response === null);
    if (lost !== undefined) this.#unanswered(lost);
    return record({ ...words, exchanges });
  }

  #unanswered(exchange: Exchange): never {
    return this.blocked(`${describe(exchange)} got no usable answer: ${exchange.failure?.message ?? 'nothing'}`);
  }

  /** Answers something that the specification leaves open; `detail` differs from run to run. */
  observe(
    question: string,
    answer: string,
    { detail, remedy }: Partial<Pick<Observation, 'detail' | 'remedy'>> = {},
  ): void {
    if (this.#way !== undefined) return;
    const clean = (text: string): string => this.run.redactor.text(text);
    this.run.observations.push({
      id: this.entry.id,
      question,
      observed: clean(withRemedy(answer, remedy)),
      ...(detail !== undefined && { detail: clean(detail) }),
      ...(remedy && { remedy }),
    });
  }

  /** Ends the check as blocked, for a reason, which is said with what would let it be judged, and what follows that in the sentence. */
  blocked(reason: string, remedy?: Remedy, rest?: string): never {
    throw new BlockedSignal(reason, remedy, rest);
  }

  /** As `blocked`, for what the target does not offer. */
  notApplicable(reason: string, remedy?: Remedy, rest?: string): never {
    throw new NotApplicableSignal(reason, remedy, rest);
  }

  /** As `once`, for what did not come as an exchange: it is kept with the evidence, so that the check can be graded again. */
  recorded<T>(name: string, make: () => Promise<T>, secrets?: readonly SettingName[]): Promise<T> {
    return this.run.recorded(name, make, secrets);
  }

  /** Computes something once in a run; where that was blocked, so is every check that asks for it. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.run.once(this.#way === undefined ? name : `${name}, ${this.#way.name}`, make);
  }

  /** Does some work whose requests go another way; what is found says so. What cannot be judged that way is left out, for an observed reason. */
  async through(way: Way, work: () => Promise<unknown>): Promise<void> {
    try {
      await branches.run({ check: this, way, name: `${this.#branch.name}, ${way.name}` }, work);
    } catch (ended) {
      if (!(ended instanceof UnjudgedSignal)) throw ended;
      this.observe(`Why was this not judged ${way.name}?`, ended.message);
    }
  }

  /**
   * Does something for each item, one after another, or for some of them at the same time where several checks are judged at once. What is drawn
   * for an item is the same either way.
   */
  async each<T extends object | string | number>(
    items: Iterable<T>,
    work: (item: T) => Promise<unknown>,
  ): Promise<void> {
    const { way, name } = this.#branch;
    const each = `${name}, each ${this.#count(`${name} each`)}`;
    const waiting = [...items].map((item, at) => ({ item, branch: { check: this, way, name: `${each}.${at}` } }));
    const inTurn = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { item, branch } = next;
        await branches.run(branch, () => work(item));
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: this.run.parallel }, inTurn));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** The key's name, where it is configured; else not applicable, naming the setting. Without API_KEY next to nothing is judged: blocked. */
  need(name: KeyName): KeyName {
    const unmet = unmetNeed([name], this.run);
    if (unmet !== null) throw unmet;
    return name;
  }

  /** Text that no other run and no other branch of this run has. */
  fresh(label: string): string {
    const { name } = this.#branch;
    const count = this.#count(name);
    const round = this.#round === 1 ? '' : `/round ${this.#round}`;
    return uuidFor(this.run.nonce, `${this.entry.id}${name}/${label}/${count}${round}`);
  }

  /**
   * Sends one request, completed with the parameters that the document requires of it, and hands back its exchange; a target that does not
   * answer is an exchange with a failure.
   */
  async send(options: RequestOptions): Promise<Exchange> {
    const { query, headers, unmet, ofRecords } = await this.required(options);
    const exchange = await this.#send(completed(options, { query, headers }));
    const isForeign = options.as === 'OTHER_API_KEY' && ofRecords;
    const why =
      unmet ?? (isForeign ? 'no value is known for a parameter that the document requires of the other tenant' : null);
    if (why !== null && isBadRequest(exchange)) this.#doubt(exchange, why);
    return exchange;
  }

  /** Why no failure rests on this exchange; null where one may. */
  doubtOf({ seq }: Exchange): string | null {
    return unmetOf.get(this.run)?.get(seq) ?? null;
  }

  /** No failure rests on this exchange, for this reason. */
  #doubt({ seq }: Exchange, why: string): void {
    const known = unmetOf.get(this.run) ?? new Map<number, string>();
    unmetOf.set(this.run, known.set(seq, why));
  }

  /** The query and header parameters that the document requires of a request, and why there is no value for one, if so. */
  async required({
    method = 'GET',
    path,
    surface,
  }: Pick<RequestOptions, 'method' | 'path' | 'surface'>): Promise<
    Required<Pick<RequestOptions, 'query' | 'headers'>> & Omit<RequiredValues, 'values'>
  > {
    const none = { query: [], headers: [], unmet: null, ofRecords: false };
    if (surface === 'document' || surface === 'planned') return none;
    const { contract } = await this.run.contract();
    const operation = contract.operation(method, path);
    if (operation === null || requiredParameters(operation).length === 0) return none;
    const { values, unmet, ofRecords } = await this.once(`required ${method} ${operation.fullTemplate}`, () =>
      findRequiredValues(this.run, contract, operation, path, (options) => this.#send(options)),
    );
    // A key that was used before would ask for the answer that was given then.
    const fresh = values.map((one) =>
      /^idempotency-key$/i.test(one.name) ? { ...one, value: this.fresh('required key') } : one,
    );
    return { ...partsOf(fresh), unmet, ofRecords };
  }

  async #send(asked: RequestOptions): Promise<Exchange> {
    const options = this.#way?.change(asked) ?? asked;
    const { target, redactor } = this.run;
    const as = options.as === undefined ? (isAuthenticated(options) ? 'API_KEY' : null) : options.as;
    const credential =
      typeof as === 'string' ? { name: this.need(as), authorization: `Bearer ${target.keys[as] ?? ''}` } : as;
    const refused = typeof as === 'string' ? (await this.run.targetState()).refused : null;
    if (refused !== null) this.blocked(refused);
    // A made-up key is no secret of anybody's where it is the tenant's own name.
    if (credential !== null && typeof as !== 'string' && !credential.authorization.endsWith(` ${target.tenant ?? ''}`))
      redactor.add(credential.name, credential.authorization.replace(/^\S+\s+/, ''));
    let isLost = false;
    const ask = askOf(options, credential, target);
    const exchange = await this.run.client.send(this.entry.id, {
      ...ask,
      onLost: (one) => {
        isLost = true;
        ask.onLost?.(one);
      },
    });
    this.requests += 1 + exchange.throttled;
    if (isLost && ask.method === 'POST' && isBadRequest(exchange, 409))
      this.#doubt(
        exchange,
        `${describe(exchange)}, after an answer to the same create was lost: a service may refuse what it has done already; run it again`,
      );
    return exchange;
  }

  /** As `send`, but an exchange without an answer blocks the check. */
  async ask(options: RequestOptions): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
    const exchange = await this.send(options);
    if (exchange.response === null) this.#unanswered(exchange);
    return { ...exchange, response: exchange.response };
  }

  /** The verdict, computed once, from how the body ended and what it recorded. */
  conclude(ended: unknown): RequirementResult {
    return resultOf(this, performance.now() - this.#startedAtMs, ended);
  }
}
