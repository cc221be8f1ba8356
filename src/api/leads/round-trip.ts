import { asObject, isGone, isSuccess, paths, recordIn } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import type { Contract } from '../../openapi/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  type LeadCase,
  modestSources,
  sourcesOf,
  specifiedFields,
  visibleJson,
} from '../../generators/index.js';
import { exerciseLeads } from './acceptance.js';
import {
  blockUnlessTaken,
  type Finding,
  type LeadOutcome,
  openLeadSession,
  type LeadSession,
  searchBreach,
} from './lead-session.js';
import { changes, isMask, unfolded, type Change } from './shown-changes.js';
import {
  fewestMissing,
  leadReaders,
  missingLeads,
  readBack,
  type Readers,
  readsOf,
  refuseUnknownIds,
  shownIn,
} from './lead-readers.js';
import { type Place, placesFor } from '../places.js';

type Json = Readonly<Record<string, unknown>>;

/** Words by which a document announces that a field is shown otherwise than it was sent. */
const announcement =
  /normali[sz]|trimm|mask|redact|anonymi[sz]|truncat|shorten|abbreviat|reformat|(lower|upper|title).?case|escap|transliterat/i;

/** The schema that a success declares for a field of a lead, in `data` or under `data.lead`. */
const shownSchema = (contract: Contract, method: string, path: string, status: number, field: string): unknown =>
  contract.answerSchema(method, path, status, ['data', field], ['data', 'lead', field]);

/** Fields whose description in the document says that they are changed. */
async function announcedFields(check: Check, { form }: LeadSession): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const says = (schema: unknown): boolean => announcement.test(String(asObject(schema)?.['description'] ?? ''));
  return specifiedFields.filter((field) => {
    const shown = [200, 201, 202].map((status) => shownSchema(contract, 'POST', paths.leads, status, field));
    return [form.schema.properties.get(field), ...shown].some(says);
  });
}

/** Fields that most answers show masked: what a mask leaves of an odd text may not be recognised as one. */
function maskedFields(taken: readonly LeadOutcome[]): readonly string[] {
  const isMasked = (field: string, { lead, exchange }: LeadOutcome): boolean =>
    isMask(String(lead[field]), String(recordIn(exchange)?.[field] ?? ''));
  return specifiedFields.filter((field) => taken.filter((one) => isMasked(field, one)).length * 2 > taken.length);
}

/** A lead that was created in a place to be read, and changed, there. */
export interface PlacedLead {
  readonly place: Place;
  readonly lead: Json;
  readonly created: Exchange;
}

/** LEAD-07: what was sent comes back without loss in the answer and in every declared read operation; hands back a lead of each place. */
export async function keepLeads(check: Check): Promise<readonly PlacedLead[]> {
  const exercise = check.run.path === null ? await exerciseLeads(check) : null;
  const session = await openLeadSession(check, { gate: 44, certify: 180 });
  const readers = await leadReaders(check);
  const taken = exercise?.outcomes.filter(({ exchange }) => isSuccess(exchange)) ?? [];
  const announced = new Set([...(await announcedFields(check, session)), ...maskedFields(taken)]);
  const echo = new Echo(check, session, readers, announced);
  let placed: readonly PlacedLead[] = [];
  if (exercise !== null) {
    blockUnlessTaken(check, exercise.plain);
    for (const outcome of taken) await echo.judge(outcome, outcome.exchange);
    placed = await echo.judgePlaces();
    await readBack(check, session, readers, [...taken, ...echo.atHome], echo.judge);
    await refuseUnknownIds(check, readers);
    await echo.judgeBlanks();
    if (!echo.isShown)
      check.notApplicable(
        'neither the answer to a create nor the readable part of a declared list shows the fields of a lead',
      );
    if (!echo.isLossless) return placed;
  }
  const runs = Math.max(4, Math.min(60, Math.floor(session.left / (readers.one === null ? 1 : 2)) - 1));
  await searchBreach(check, arbitraryOf(session.form), runs, echo.search);
  return placed;
}

/** The breach of a field that an answer shows otherwise than it was sent. */
function findingOf({ field, sent, shown, loses }: Change, exchange: Exchange, label?: string): Finding {
  return {
    kind: field,
    code: loses ? 'lossy' : 'changed',
    field,
    expected: `${field} ${visibleJson(sent)} ${loses ? 'without loss' : 'as it was sent'}${label === undefined ? '' : ` (${label})`}`,
    actual: `${describe(exchange)} shows ${visibleJson(shown)}`,
    exchanges: [exchange],
  };
}

const outerBlanks = 'blanks at both ends';

/** Sources that differ in letters and length; the first two are sent in each place. */
const freeSources = ['website', 'Showroom Visit', 'referral', 'Spring fair 2026, stand 12 (north entrance)'];

/** An answer that shows a lead which was sent with a source. */
interface ShownSource {
  readonly sent: string;
  readonly record: Json;
  readonly isRead: boolean;
  readonly exchange: Exchange;
}

/** What answers show of the leads of a check. */
class Echo {
  isShown = false;
  isLossless = true;
  /** What was created for the usual tenant, whatever the place. */
  readonly atHome: LeadOutcome[] = [];
  readonly #check: Check;
  readonly #session: LeadSession;
  readonly #readers: Readers;
  readonly #announced: ReadonlySet<string>;
  readonly #reported = new Set<string>();
  readonly #sources: ShownSource[] = [];

  constructor(check: Check, session: LeadSession, readers: Readers, announced: ReadonlySet<string>) {
    this.#check = check;
    this.#session = session;
    this.#readers = readers;
    this.#announced = announced;
  }

  /** Judges a lead as an answer shows it. */
  readonly judge = async (
    outcome: LeadOutcome,
    exchange: Exchange,
    shown: Json | null = recordIn(exchange),
  ): Promise<void> => {
    const { one, lead, place, exchange: created } = outcome;
    const record = unfolded(lead, shown);
    const isRead = exchange !== created;
    this.isShown ||= record !== null && specifiedFields.some((field) => Object.hasOwn(record, field));
    if (one.field === 'source' && record !== null)
      this.#sources.push({ sent: String(lead['source']), record, isRead, exchange });
    // One warning a field says enough of another form; each loss may be another.
    const keyOf = ({ field, loses }: Change): string => (loses ? `${field} ${one.label}` : field);
    const found = changes(lead, shown)
      .map((change) => ({ ...change, loses: change.loses && !this.#announced.has(change.field) }))
      .filter((change) => isDemanded(outcome, change))
      .filter((change) => !this.#reported.has(keyOf(change)) && this.#reported.size <= 12);
    const isCertain = isRead || one.label === outerBlanks;
    for (const change of isCertain ? found : await this.#recurring(one, place, found)) {
      this.#reported.add(keyOf(change));
      this.isLossless &&= !change.loses;
      const label = `${one.label}${place.words}${isRead ? ', read back' : ''}`;
      const { kind: _, ...breach } = findingOf(change, exchange, label);
      this.#check[change.loses ? 'fail' : 'warn']({ ...breach, exchanges: [...new Set([created, exchange])] });
    }
  };

  /** The breach of a drawn lead, or null. */
  readonly search = async (one: LeadCase, kind: string | null): Promise<Finding | null> => {
    const { lead, place, exchange: created } = await this.#session.send(one);
    if (!isSuccess(created)) return null;
    for (const exchange of await shownIn(this.#check, this.#readers, created)) {
      const change = changes(lead, recordIn(exchange)).find(
        ({ loses, field }) => loses && !this.#announced.has(field) && (kind === null || field === kind),
      );
      if (change && (kind !== null || (await this.#recurring(one, place, [change])).length > 0))
        return findingOf(change, exchange);
    }
    return null;
  };

  /** The changes that also occur for a second lead of the same kind with values of its own: no earlier lead explains those. */
  async #recurring(one: LeadCase, place: Place, found: readonly Change[]): Promise<readonly Change[]> {
    if (found.length === 0) return found;
    const session = this.#session;
    const drawn = await session.withUniqueFields(one, place);
    // A service may merge leads by their phones.
    const isOfPhone = one.field === 'phone' || found.some(({ field }) => field === 'phone');
    const lead = isOfPhone ? drawn : { ...drawn, phone: (await session.fresh())['phone'] };
    const answers = await shownIn(this.#check, this.#readers, await session.post(lead, place), readsOf(place));
    const again = answers.flatMap((answer) => changes(lead, recordIn(answer)));
    return found.filter(({ field, loses }) => again.some((other) => other.field === field && (other.loses || !loses)));
  }

  /** Creates leads with sources in every place, which are there and show what was sent; hands back one of each place. */
  async judgePlaces(): Promise<readonly PlacedLead[]> {
    const [check, session] = [this.#check, this.#session];
    const { base, schema } = session.form;
    const isGate = check.run.depth === 'gate';
    const strength = schema.field('source').values === null ? 'open' : 'must';
    const sources = sourcesOf(session.form, [...freeSources, ...modestSources]).slice(0, isGate ? 4 : 12);
    const cases = sources.map((source): LeadCase => ({
      lead: { ...base, source },
      field: 'source',
      label: `source ${visibleJson(source)}`,
      strength,
    }));
    while (cases.length < fewestMissing) cases.push({ lead: base, field: '', label: 'plain', strength: 'must' });
    const placed: PlacedLead[] = [];
    for (const place of await placesFor(check, 'POST', paths.leads, 'API_KEY_WRITE_LEADS')) {
      const gone: Exchange[] = [];
      for (const one of place.name === 'home' ? cases : cases.slice(0, fewestMissing)) {
        const outcome = await session.send(one, place);
        const { lead, exchange: created } = outcome;
        if (!isSuccess(created)) continue;
        if (place.name !== 'second tenant') this.atHome.push(outcome);
        if (placed.at(-1)?.place !== place) placed.push({ place, lead, created });
        for (const exchange of await shownIn(check, this.#readers, created, readsOf(place))) {
          if (isGone(exchange) && created.response?.status !== 202) gone.push(created);
          await this.judge(outcome, exchange);
        }
      }
      // Without a tenant, it may be another one of the same key.
      const callers = [readsOf(place), ...(place.name === 'no tenant' ? [{}] : [])];
      const breach =
        gone.length < fewestMissing
          ? null
          : await missingLeads(check, `each lead that was created${place.words}`, gone, callers);
      if (breach !== null) check.fail(breach);
    }
    await this.#judgeSources();
    return placed;
  }

  /** Sends a name with blanks at both ends. */
  async judgeBlanks(): Promise<void> {
    const lead = { ...this.#session.form.base, name: '  Ana Example ' };
    if (!this.#session.form.schema.allows(lead)) return;
    const one: LeadCase = { lead, field: 'name', label: outerBlanks, strength: 'open', exact: true };
    const outcome = await this.#session.send(one);
    if (isSuccess(outcome.exchange)) await this.judge(outcome, outcome.exchange);
  }

  /**
   * A source is shown as it was sent in the answers to creates, and in those to reads. A service may have its own list and show one of its sources in place
   * of those that it does not know, so another source counts as lost where it stands for this one alone, where none is kept, or where it is kept elsewhere.
   */
  async #judgeSources(): Promise<void> {
    const { contract } = await this.#check.contract();
    const { schema } = this.#session.form;
    const isFree = schema.field('source').values === null;
    const declares = ({ request: { method, path }, response }: Exchange): boolean =>
      shownSchema(contract, method, path, response?.status ?? 0, 'source') !== undefined;
    const several = (some: readonly { readonly sent: string }[]): boolean =>
      new Set(some.map(({ sent }) => sent)).size > 1;
    for (const isRead of [false, true]) {
      const shown = this.#sources
        .filter((one) => one.isRead === isRead)
        .map((one) => ({ ...one, is: one.record['source'] ?? null }))
        .filter(({ record, is, exchange }) => {
          // Another value in place of a declared one is reported as that of any field.
          if (is !== null) return isFree && typeof is === 'string';
          const others = ['name', 'phone', 'vehicleId'].filter((field) => record[field] !== undefined);
          return others.length > 1 && declares(exchange);
        });
      const isSame = ({ sent, is }: { sent: string; is: unknown }): boolean =>
        typeof is === 'string' && is.normalize('NFC').trim() === sent.normalize('NFC').trim();
      const kept = new Set(shown.filter(isSame).map(({ sent }) => sent));
      const changed = shown.filter((one) => !isSame(one));
      const own = changed.filter(
        ({ is }) => typeof is === 'string' && !kept.has(is) && !several(changed.filter((one) => one.is === is)),
      );
      const isNoneKept = kept.size === 0 && several(changed);
      const lost = [
        ...(several(own) ? own : own.filter(({ sent, is }) => String(is).length > 3 && sent.startsWith(String(is)))),
        ...changed.filter(({ sent }) => isNoneKept || kept.has(sent)),
      ];
      const [first] = lost;
      if (first === undefined) continue;
      // A declared field that is not required may be left out of the answer to a create.
      const isCertain = (isRead || lost.some(({ is }) => is !== null)) && schema.properties.has('source');
      this.#check[isCertain ? 'fail' : 'warn']({
        code: 'source-changed',
        expected: `source ${visibleJson(first.sent)} to be shown as it was sent`,
        actual: `${describe(first.exchange)} shows ${first.is === null ? 'other fields of the lead and no source' : visibleJson(first.is)}`,
        exchanges: lost.map((one) => one.exchange),
      });
    }
  }
}

/**
 * Whether the field has to be shown as it was sent: not where its odd value is what is tried, but for the id of a vehicle. With a phone, or a name that is
 * sent each time, a service that merges leads by it may show the other fields of an earlier lead.
 */
function isDemanded({ one, lead }: LeadOutcome, change: Change): boolean {
  const { strength, field, label } = one;
  const isFixed = field === 'phone' || (field === 'name' && lead['name'] === one.lead['name']);
  if (isFixed && change.field !== field) return false;
  return strength !== 'open' || label === outerBlanks || change.field !== field || field === 'vehicleId';
}
