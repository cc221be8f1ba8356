import { isSuccess } from '../../service/index.js';
import { leadForm, plainLead, vehiclesFor } from './lead-factory.js';
import { postLead, wordFor } from './leads.js';
import { phonesLike } from './phone-book.js';
import { home, type Place } from '../places.js';
import { postPatiently, refusedLead } from './refused-leads.js';
import type { Exchange } from '../../http/index.js';
import type fc from 'fast-check';
import type { Breach, Check, Depth } from '../../run/index.js';
import {
  isFictionalPhone,
  isRealPhone,
  type Lead,
  type LeadCase,
  type LeadForm,
  searchCounterexample,
} from '../../generators/index.js';

/** A lead that was sent, and what came of it. */
export interface LeadOutcome {
  readonly one: LeadCase;
  readonly lead: Lead;
  readonly place: Place;
  readonly exchange: Exchange;
}

/** The most requests that one requirement on leads sends, by the depth of the run. */
type LeadBudget = Readonly<Record<Depth, number>>;

/** What all of LEAD send together where `--requests` sets no other bound. */
const usual: LeadBudget = { gate: 288, certify: 1_000 };

/** The least that lets a requirement do its deterministic part at all. */
const floor = 4;

/** The part of `--requests` that leads get; the rest is for idempotency. */
const leadShare = 0.35;

/** The requests of one requirement in a run: its own, or its share of what `--requests` allows. */
export function leadBudget(
  own: LeadBudget,
  run: { readonly depth: Depth; readonly requestBudget: number | null },
): number {
  if (run.requestBudget === null) return own[run.depth];
  const requests = Math.floor(run.requestBudget * leadShare);
  return Math.max(floor, Math.floor((own[run.depth] * requests) / usual[run.depth]));
}

/** Creates the leads of a check within its share of the requests. */
export interface LeadSession {
  readonly form: LeadForm;
  readonly left: number;
  /** The case's lead with a name, a phone and a vehicle of its own wherever the case leaves room for them; the phone ends as that of `like`. */
  withUniqueFields(one: LeadCase, place?: Place, like?: Lead): Promise<Lead>;
  /** The smallest lead, with a name, a phone and a vehicle of its own. */
  fresh(): Promise<Lead>;
  /** Sends a lead under a fresh key. */
  post(lead: unknown, place?: Place): Promise<Exchange>;
  /** Sends the case's lead with values of its own. */
  send(one: LeadCase, place?: Place): Promise<LeadOutcome>;
  /** Sends it, and another one where that is refused for what may be its own. */
  sendPatiently(one: LeadCase): Promise<LeadOutcome>;
  /** Sends the smallest lead so. */
  plain(): Promise<Exchange>;
  /** An answer that breaks a rule, where the next one does as well, after a plain lead was taken; null otherwise. */
  repeated(send: () => Promise<Exchange>, breaks: (answer: Exchange) => boolean): Promise<Exchange | null>;
}

/** The smallest lead as a case. */
export const plainCase = ({ base }: LeadForm): LeadCase => ({
  lead: base,
  field: '',
  label: 'plain',
  strength: 'must',
});

/** Opens the session of one requirement; blocks where no lead can be made at all. */
export async function openLeadSession(check: Check, budget: LeadBudget): Promise<LeadSession> {
  const form = await leadForm(check);
  const { exclusive } = await vehiclesFor(check);
  const share = leadBudget(budget, check.run);
  const before = check.requests;
  const usual = form.base['vehicleId'];
  const session: LeadSession = {
    form,
    get left() {
      return share - (check.requests - before);
    },
    withUniqueFields: async (one, { name, options } = home, like = {}) => {
      const { vehicleId } = one.lead;
      const stays = vehicleId !== usual && (!exclusive || !form.unitIds.includes(String(vehicleId)));
      const owner = name === 'second tenant' ? options : {};
      const ending = /\d\d$/.exec(String(like['phone']))?.[0];
      const { vehicleId: drawn, ...own } = await plainLead(check, owner, stays ? '' : undefined, ending);
      return withUniqueFields(form, one, stays ? own : { ...own, vehicleId: drawn }, check.fresh('mark'));
    },
    // A form may ask for other names or phones than the specification shows: they stay as it asks.
    fresh: () => session.withUniqueFields(plainCase(form)),
    post: (lead, { options } = home) => postLead(check, lead, options),
    send: async (one, place = home) => {
      const lead = await session.withUniqueFields(one, place);
      return { one, lead, place, exchange: await session.post(lead, place) };
    },
    sendPatiently: async (one) => {
      let lead = one.lead;
      const exchange = await postPatiently(check, async () => {
        lead = await session.withUniqueFields(one);
        return session.post(lead);
      });
      return { one, lead, place: home, exchange };
    },
    plain: async () => (await session.sendPatiently(plainCase(form))).exchange,
    repeated: async (send, breaks) => {
      const sent = async (): Promise<Exchange | null> => {
        const answer = await send();
        return breaks(answer) ? answer : null;
      };
      const first = await sent();
      return first !== null && (await confirm(1, session.plain, sent)) === 'breach' ? first : null;
    },
  };
  return session;
}

/** Blocks where not even a plain lead is taken. */
export function blockUnlessTaken(check: Check, plain: Exchange): void {
  if (!isSuccess(plain)) check.blocked(`a plain lead is not accepted (see LEAD-01): ${refusedLead(check, plain)}`);
}

/** A breach, with what tells it from those of another cause. */
export interface Finding {
  readonly breach: Breach;
  readonly kind: string;
  /** Whether it only warns. */
  readonly isSoft?: boolean;
}

/** What must hold of leads: of listed cases, then of drawn ones. */
interface LeadProperty<C, D> {
  readonly cases: readonly C[];
  /** Requests that the cases leave for drawn ones. */
  readonly reserve: number;
  readonly draw: fc.Arbitrary<D>;
  /** How many values are drawn, once the cases hold. */
  runs(): number;
  /** The cases that a drawn value makes. */
  of(drawn: D): Promise<readonly C[]>;
  /** The breach of a case, or null; `kind` is that of the breach that is shrunk: what that is shrunk to needs no confirmation. */
  judge(one: C, kind: string | null): Promise<Finding | null>;
}

/** Breaches that are reported of one requirement. */
const mostReported = 12;

/** How many requests a shrinking may cost. */
const shrinkRequests = 40;

/** Reports the cases that break a property, or else the smallest drawn value that does; whether it holds, and the cases that the budget left out. */
export async function judgeLeads<C, D>(
  check: Check,
  session: LeadSession,
  { cases, reserve, draw, runs, of, judge }: LeadProperty<C, D>,
): Promise<{ readonly holds: boolean; readonly untried: readonly C[] }> {
  const untried = check.run.path === null ? [...cases] : [];
  let failed = 0;
  while (session.left > reserve && failed < mostReported) {
    const [one] = untried.splice(0, 1);
    if (one === undefined) break;
    const found = await judge(one, null);
    if (found === null) continue;
    const isSoft = found.isSoft === true;
    check[isSoft ? 'warn' : 'fail'](found.breach);
    if (!isSoft) failed += 1;
  }
  const drawn = failed === 0 ? runs() : 0;
  if (drawn === 0) return { holds: failed === 0, untried };
  const judgeDrawn = async (value: D, kind: string | null): Promise<Finding | null> => {
    for (const one of await of(value)) {
      const found = await judge(one, kind);
      if (found !== null && found.isSoft !== true && (kind ?? found.kind) === found.kind) return found;
    }
    return null;
  };
  const smallest = await searchCounterexample(check, draw, judgeDrawn, { runs: drawn, shrinkRequests });
  if (smallest === null) return { holds: true, untried };
  const { failure, path } = smallest;
  return { holds: check.fail({ ...failure.breach, ...(path === undefined ? {} : { path }) }), untried };
}

const isBroken = ({ response }: Exchange): boolean => (response?.status ?? 500) >= 500;

/** Observes what the budget left out. */
export function observeUntried(check: Check, what: string, names: readonly string[]): void {
  if (names.length > 0)
    check.observe(
      `Which ${what} were not tried within the limit on requests?`,
      `${String(names.length)}: ${names.slice(0, 20).join('; ')}`,
    );
}

/** What an answer proves. */
export type Proof = 'breach' | 'transient' | 'unwell';

/**
 * What an answer proves of the body: `breach` where it comes again for bodies of the same kind (`again` gives null where another came), and a control of
 * the same form is taken before each, or breaks as they do; `unwell` where no control is taken.
 */
export async function confirm(
  rounds: number,
  control: () => Promise<Exchange>,
  again: (control: Exchange) => Promise<Exchange | null>,
): Promise<Proof> {
  for (let round = 1; round <= rounds; round += 1) {
    const taken = await control();
    if (!isSuccess(taken) && !isBroken(taken)) return 'unwell';
    const answer = await again(taken);
    if (answer === null) return 'transient';
    if (!isSuccess(taken) && !isBroken(answer)) return 'unwell';
  }
  return 'breach';
}

function digitsOf(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '').slice(0, 16)}`).toString();
}

/**
 * Gives a lead the name, the phone, the vehicle and the further texts of an own lead: services merge or refuse leads that have one of them in
 * common. What the case is there to try stays: a name keeps its characters, a phone its plan and its length.
 */
export function withUniqueFields({ base, schema }: LeadForm, one: LeadCase, own: Lead, uuid: string): Lead {
  let lead = one.lead;
  const put = (field: string, values: readonly unknown[]): void => {
    const allowed = schema.allows(lead);
    const fits = (next: Lead): boolean => !allowed || schema.allows(next);
    lead = values.map((value) => ({ ...lead, [field]: value })).find(fits) ?? lead;
  };
  for (const [field, value] of Object.entries(own)) {
    const was = one.lead[field];
    if (field === 'vehicleId' || (was === base[field] && one.field !== field)) put(field, [value]);
    else if (field === 'name' && typeof was === 'string') put(field, markedNames(was, wordFor(uuid), one.exact));
    else if (field === 'phone' && typeof was === 'string' && isRealPhone(was))
      put(field, isFictionalPhone(was) ? [value] : phonesLike(was, digitsOf(uuid)));
  }
  return lead;
}

/**
 * The name with eight random letters from its own characters appended, or in place of its last eight characters; short names stay
 * unchanged.
 */
function markedNames(name: string, word: string, exact = false): string[] {
  const characters = Array.from(name);
  const letters = characters.filter((one) => /^\p{L}$/u.test(one));
  if (characters.length < 4 || new Set(letters).size < 2) return [];
  const mark = Array.from(word.slice(0, 8), (one) => letters[one.charCodeAt(0) % letters.length] ?? '').join('');
  const replaced = characters.length >= 16 ? [`${characters.slice(0, -8).join('')}${mark}`] : [];
  return exact || characters.length > 91 ? replaced : [`${name} ${mark}`, ...replaced];
}
