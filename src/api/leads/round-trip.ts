import { asObject, isSuccess, paths, recordIn } from '../../service/index.js';
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
  confirm,
  type Finding,
  judgeLeads,
  type LeadOutcome,
  openLeadSession,
  type LeadSession,
} from './lead-session.js';
import { changes, isMask, unfolded, type Change } from './shown-changes.js';
import { fewestMissing, type LeadView, readsOf, refuseUnknownIds, shownIn, viewsOf } from './stored-leads.js';
import { type Place, placesFor } from '../places.js';

/** Words by which a document announces that a field is shown otherwise than it was sent. */
const announcement =
  /normali[sz]|trimm|mask|redact|anonymi[sz]|truncat|shorten|abbreviat|reformat|(lower|upper|title).?case|escap|transliterat/i;

type Json = Readonly<Record<string, unknown>>;

/** The schema that a success declares for a field of a lead, in `data` or under `data.lead`. */
const shownSchema = (contract: Contract, method: string, path: string, status: number, field: string): unknown =>
  contract.answerSchema(method, path, status, ['data', field], ['data', 'lead', field]);

/** Fields that the document says are shown otherwise, or that most answers show masked: what a mask leaves of an odd text may not be recognised as one. */
async function alteredFields(
  check: Check,
  { form }: LeadSession,
  taken: readonly LeadOutcome[],
): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const says = (schema: unknown): boolean => announcement.test(String(asObject(schema)?.['description'] ?? ''));
  const isMasked = (field: string, { lead, exchange }: LeadOutcome): boolean =>
    isMask(String(lead[field]), String(recordIn(exchange)?.[field] ?? ''));
  return specifiedFields.filter((field) => {
    const shown = [200, 201, 202].map((status) => shownSchema(contract, 'POST', paths.leads, status, field));
    const isAnnounced = [form.schema.properties.get(field), ...shown].some(says);
    return isAnnounced || taken.filter((one) => isMasked(field, one)).length * 2 > taken.length;
  });
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
  const taken = exercise?.outcomes.filter(({ exchange }) => isSuccess(exchange)) ?? [];
  const altered = await alteredFields(check, session, taken);
  const losses = ({ lead }: Pick<LeadOutcome, 'lead'>, record: Json | null): readonly Change[] =>
    changes(lead, record).map((change) => ({ ...change, loses: change.loses && !altered.includes(change.field) }));
  /** Whether another lead of the same kind, with values of its own, is shown changed as well: then no earlier lead explains it. */
  const recurs = async ({ one, place }: LeadOutcome, { field, loses }: Change): Promise<boolean> => {
    const drawn = await session.withUniqueFields(one, place);
    // A service may merge leads by their phones.
    const isOfPhone = one.field === 'phone' || field === 'phone';
    const lead = isOfPhone ? drawn : { ...drawn, phone: (await session.fresh())['phone'] };
    const again = async (created: Exchange): Promise<Exchange | null> => {
      const shown = await shownIn(check, created, readsOf(place));
      const others = shown.flatMap((answer) => changes(lead, recordIn(answer)));
      return others.some((other) => other.field === field && (other.loses || !loses)) ? created : null;
    };
    return (await confirm(1, () => session.post(lead, place), again)) === 'breach';
  };
  let placed: readonly LeadOutcome[] = [];
  const cases: ShownChange[] = [];
  const casesOf = ({ record, ...view }: LeadView): readonly ShownChange[] =>
    losses(view.outcome, record).map((change) => ({ ...view, change }));
  if (exercise !== null) {
    blockUnlessTaken(check, exercise.plain);
    placed = await sendPlaced(check, session);
    const views = await viewsOf(check, session, [...placed, ...taken.toSorted((a, b) => telling(b) - telling(a))]);
    await refuseUnknownIds(check);
    if (!views.some(({ outcome, record }) => showsLead(unfolded(outcome.lead, record))))
      check.notApplicable(
        'neither the answer to a create nor the readable part of a declared list shows the fields of a lead',
      );
    await judgeSources(check, session, views);
    cases.push(...views.flatMap(casesOf).filter(({ outcome, change }) => isDemanded(outcome, change)));
  }
  const reported = new Set<string>();
  await judgeLeads(check, session, {
    cases,
    reserve: Number.NEGATIVE_INFINITY,
    draw: arbitraryOf(session.form),
    runs: () => Math.max(4, Math.min(60, Math.floor(session.left / 2) - 1)),
    of: async (one) => {
      const outcome = await session.send(one);
      const shown = isSuccess(outcome.exchange) ? await shownIn(check, outcome.exchange) : [];
      return shown
        .flatMap((exchange) => casesOf({ outcome, exchange, record: recordIn(exchange) }))
        .filter(({ change }) => change.loses);
    },
    judge: async (shown, kind) => {
      const { outcome, exchange, change } = shown;
      const { label } = outcome.one;
      // One warning a field says enough of another form; each loss may be another.
      const name = change.loses ? `${change.field} ${label}` : change.field;
      // A drawn lead may have the phone of an earlier one, whose name is shown then.
      const isRead = exchange !== outcome.exchange && cases.includes(shown);
      const isCertain = kind !== null || isRead || label === outerBlanks;
      if ((kind === null && reported.has(name)) || !(isCertain || (await recurs(outcome, change)))) return null;
      reported.add(name);
      return findingOf(shown);
    },
  });
  return placed
    .filter(({ place }, at) => placed.findIndex((other) => other.place === place) === at)
    .map(({ place, lead, exchange }) => ({ place, lead, created: exchange }));
}

/** Long names and demanded values show most changes. */
const telling = ({ one, lead }: LeadOutcome): number =>
  Buffer.byteLength(String(lead['name'])) + (one.strength === 'open' ? 0 : 1_000);

const showsLead = (record: Json | null): boolean => record !== null && specifiedFields.some((field) => field in record);

/** A change of a field in an answer that shows a lead. */
interface ShownChange extends Pick<LeadView, 'outcome' | 'exchange'> {
  readonly change: Change;
}

/** The breach of a field that an answer shows otherwise than it was sent. */
function findingOf({ outcome, exchange, change }: ShownChange): Finding {
  const { one, place, exchange: created } = outcome;
  const { field, sent, shown, loses } = change;
  const label = `${one.label}${place.words}${exchange === created ? '' : ', read back'}`;
  const breach = {
    code: loses ? 'lossy' : 'changed',
    field,
    expected: `${field} ${visibleJson(sent)} ${loses ? 'without loss' : 'as it was sent'} (${label})`,
    actual: `${describe(exchange)} shows ${visibleJson(shown)}`,
    exchanges: [...new Set([created, exchange])],
    part: { value: recordIn(exchange), pointer: `/${field}` },
  };
  return { kind: field, isSoft: !loses, breach };
}

const outerBlanks = 'blanks at both ends';

/** Sources that differ in letters and length; the first two are sent in each place. */
const freeSources = ['website', 'Showroom Visit', 'referral', 'Spring fair 2026, stand 12 (north entrance)'];

/** Creates leads with sources in every place, and one whose name has blanks at both ends; those that were taken. */
async function sendPlaced(check: Check, session: LeadSession): Promise<readonly LeadOutcome[]> {
  const { base, schema } = session.form;
  const strength = schema.field('source').values === null ? 'open' : 'must';
  const cases = sourcesOf(session.form, [...freeSources, ...modestSources])
    .slice(0, check.run.depth === 'gate' ? 4 : 12)
    .map((source): LeadCase => ({
      lead: { ...base, source },
      field: 'source',
      label: `source ${visibleJson(source)}`,
      strength,
    }));
  while (cases.length < fewestMissing) cases.push({ lead: base, field: '', label: 'plain', strength: 'must' });
  const blanks = { ...base, name: '  Ana Example ' };
  if (schema.allows(blanks))
    cases.push({ lead: blanks, field: 'name', label: outerBlanks, strength: 'open', exact: true });
  const outcomes: LeadOutcome[] = [];
  for (const place of await placesFor(check, 'POST', paths.leads, 'API_KEY_WRITE_LEADS'))
    for (const one of place.name === 'home' ? cases : cases.slice(0, fewestMissing))
      outcomes.push(await session.send(one, place));
  return outcomes.filter(({ exchange }) => isSuccess(exchange));
}

/**
 * A source is shown as it was sent in the answers to creates, and in those to reads. A service may have its own list and show one of its sources in place
 * of those that it does not know, so another one counts where it is cut, where none is kept, or where the same is kept elsewhere.
 */
async function judgeSources(
  check: Check,
  { form: { schema } }: LeadSession,
  views: readonly LeadView[],
): Promise<void> {
  const { contract } = await check.contract();
  const isFree = schema.field('source').values === null;
  const several = (some: readonly { readonly sent: string }[]): boolean =>
    new Set(some.map(({ sent }) => sent)).size > 1;
  const folded = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  for (const isRead of [false, true]) {
    const shown = views.flatMap(({ outcome: { one, lead, exchange: created }, exchange, record }) => {
      if (one.field !== 'source' || (exchange !== created) !== isRead || record === null) return [];
      const whole = unfolded(lead, record);
      const is = whole?.['source'] ?? null;
      const { request, response } = exchange;
      const isDeclared =
        shownSchema(contract, request.method, request.path, response?.status ?? 0, 'source') !== undefined;
      const others = ['name', 'phone', 'vehicleId'].filter((field) => whole?.[field] !== undefined);
      // Another value in place of a declared one is reported as that of any field.
      const counts = is === null ? isDeclared && others.length > 1 : isFree && typeof is === 'string';
      return counts ? [{ sent: String(lead['source']), is: is === null ? null : String(is), exchange }] : [];
    });
    const isSame = ({ sent, is }: { sent: string; is: string | null }): boolean =>
      is?.normalize('NFC').trim() === sent.normalize('NFC').trim();
    const kept = new Set(shown.filter(isSame).map(({ sent }) => sent));
    const changed = shown.filter((one) => !isSame(one));
    const respelt = changed.filter(({ sent, is }) => is !== null && folded(is) === folded(sent));
    // Another case or punctuation is another form of the same.
    const replaced = changed.filter((one) => !respelt.includes(one));
    const lost = replaced.filter(
      (one) =>
        kept.has(one.sent) ||
        (kept.size === 0 && several(replaced)) ||
        (one.is !== null && one.is.length > 3 && one.sent.startsWith(one.is)),
    );
    const [first] = [...lost, ...respelt];
    if (first === undefined) continue;
    // A declared field that is not required may be left out of the answer to a create.
    const isCertain =
      (isRead ? lost.length > 0 : lost.some(({ is }) => is !== null)) && schema.properties.has('source');
    check[isCertain ? 'fail' : 'warn']({
      code: 'source-changed',
      expected: `source ${visibleJson(first.sent)} to be shown as it was sent`,
      actual: `${describe(first.exchange)} shows ${first.is === null ? 'other fields of the lead and no source' : visibleJson(first.is)}`,
      exchanges: [...lost, ...respelt].map((one) => one.exchange),
    });
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
