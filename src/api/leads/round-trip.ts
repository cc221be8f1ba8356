import { asObject, isSuccess, paths, recordIn } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import type { Operation } from '../../openapi/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  bundle,
  isRecord,
  isSchema,
  type JsonSchema,
  type LeadCase,
  modestSources,
  propertiesOf,
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
import { judgeKeptLeads } from './kept-leads.js';
import { type AddressForm, addressForms } from '../../settings/index.js';
import { changes, isMask, unfolded, type Change } from './shown-changes.js';
import { leadReaders, readBack, shownIn, type Readers } from './lead-readers.js';

type Json = Readonly<Record<string, unknown>>;

/** Words by which a document announces that a field is shown otherwise than it was sent. */
const announcement =
  /normali[sz]|trimm|mask|redact|anonymi[sz]|truncat|shorten|abbreviat|reformat|(lower|upper|title).?case|escap|transliterat/i;

/** The fields of a lead that the success answers of an operation declare, in `data` or under `data.lead`; empty where nothing is declared. */
function declaredLeadFields(operation: Operation | null, document: unknown): ReadonlyMap<string, JsonSchema> {
  const responses = operation?.operation['responses'];
  const fields = new Map<string, JsonSchema>();
  if (!isRecord(responses)) return fields;
  for (const [status, response] of Object.entries(responses)) {
    if (!/^2/.test(status) || !isRecord(response)) continue;
    const media = isRecord(response['content']) ? Object.entries(response['content']) : [];
    const content = media.find(([type]) => /^application\/(?!problem\b)([\w.-]+\+)?json\b/i.test(type))?.[1];
    const schema = isRecord(content) ? content['schema'] : null;
    if (!isSchema(schema)) continue;
    try {
      const { schema: whole } = bundle(schema, document, 'response');
      const data = propertiesOf(whole, whole).get('data') ?? false;
      const found = propertiesOf(data, whole);
      const lead = found.has('name') ? found : propertiesOf(found.get('lead') ?? false, whole);
      if (lead.has('name') && lead.has('phone')) for (const [name, schema] of lead) fields.set(name, schema);
    } catch {
      // A schema that cannot be read declares nothing here; the document's own requirements speak of it.
    }
  }
  return fields;
}

/** Fields whose description in the document says that they are changed. */
async function announcedFields(check: Check, session: LeadSession): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const shown = declaredLeadFields(contract.operation('POST', paths.leads), contract.document);
  const says = (schema: unknown): boolean => announcement.test(String(asObject(schema)?.['description'] ?? ''));
  return specifiedFields.filter((field) => says(session.form.schema.properties.get(field)) || says(shown.get(field)));
}

/** Fields that most answers show masked: what a mask leaves of an odd text may not be recognised as one. */
function maskedFields(outcomes: readonly LeadOutcome[]): readonly string[] {
  const taken = outcomes.filter(({ exchange }) => isSuccess(exchange));
  const isMasked = (field: string, { lead, exchange }: LeadOutcome): boolean =>
    isMask(String(lead[field]), String(recordIn(exchange)?.[field] ?? ''));
  return specifiedFields.filter((field) => taken.filter((one) => isMasked(field, one)).length * 2 > taken.length);
}

/** LEAD-07: what was sent comes back without loss in the answer and in every declared read operation. */
export async function keepLeads(check: Check): Promise<void> {
  const exercise = check.run.path === null ? await exerciseLeads(check) : null;
  const session = await openLeadSession(check, { gate: 50, certify: 180 });
  const readers = await leadReaders(check);
  const masked = exercise === null ? [] : maskedFields(exercise.outcomes);
  const announced = new Set([...(await announcedFields(check, session)), ...masked]);
  if (exercise !== null) {
    blockUnlessTaken(check, exercise.plain);
    if (!(await judgeShown(check, session, readers, exercise.outcomes, announced))) return;
  }
  const holds = async (one: LeadCase, kind: string | null): Promise<Finding | null> => {
    const { lead, exchange: made } = await session.send(one);
    if (!isSuccess(made)) return null;
    for (const exchange of await shownIn(check, readers, made)) {
      const change = changes(lead, recordIn(exchange)).find(
        ({ loses, field }) => loses && !announced.has(field) && (kind === null || field === kind),
      );
      if (change && (kind !== null || (await recurring(check, session, readers, one, [change])).length > 0))
        return findingOf(change, exchange);
    }
    return null;
  };
  const runs = Math.max(4, Math.min(60, Math.floor(session.left / (readers.one === null ? 1 : 2)) - 1));
  await searchBreach(check, arbitraryOf(session.form), runs, holds);
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

/** Judges every answer that shows one of these leads, or one of those with further sources; false where something is lost. */
async function judgeShown(
  check: Check,
  session: LeadSession,
  readers: Readers,
  outcomes: readonly LeadOutcome[],
  announced: ReadonlySet<string>,
): Promise<boolean> {
  const { schema, base } = session.form;
  const forms = addressForms(check.target);
  const reported = new Set<string>();
  const sources: ShownSource[] = [];
  let shownAnywhere = false;
  let isLossless = true;
  const judge = async (
    outcome: LeadOutcome,
    exchange: Exchange,
    shown: Json | null,
    form?: AddressForm,
  ): Promise<void> => {
    const { one, lead, exchange: made } = outcome;
    const record = unfolded(lead, shown);
    shownAnywhere ||= record !== null && specifiedFields.some((field) => Object.hasOwn(record, field));
    if (one.field === 'source' && record !== null)
      sources.push({ sent: String(lead['source']), record, made, exchange });
    // One warning a field says enough of another form; each loss may be another.
    const keyOf = ({ field, loses }: Change): string => (loses ? `${field} ${one.label}` : field);
    const found = changes(lead, shown)
      .map((change) => ({ ...change, loses: change.loses && !announced.has(change.field) }))
      .filter((change) => isDemanded(outcome, change))
      .filter((change) => !reported.has(keyOf(change)) && reported.size <= 12);
    const isCreate = exchange === made && one.label !== outerBlanks;
    for (const change of isCreate ? await recurring(check, session, readers, one, found, form) : found) {
      reported.add(keyOf(change));
      isLossless &&= !change.loses;
      const { kind: _, ...breach } = findingOf(
        change,
        exchange,
        exchange === made ? one.label : `${one.label}, read back`,
      );
      check[change.loses ? 'fail' : 'warn']({ ...breach, exchanges: [...new Set([made, exchange])] });
    }
  };
  const taken = outcomes.filter(({ exchange }) => isSuccess(exchange));
  for (const outcome of taken) await judge(outcome, outcome.exchange, recordIn(outcome.exchange));
  const strength = schema.field('source').values === null ? 'open' : 'must';
  const candidates = sourcesOf(session.form, [...freeSources, ...modestSources]).slice(
    0,
    check.run.depth === 'gate' ? 4 : 12,
  );
  for (const form of forms) {
    for (const source of candidates) {
      const label = `source ${visibleJson(source)}`;
      const outcome = await session.send({ lead: { ...base, source }, field: 'source', label, strength }, form);
      if (!isSuccess(outcome.exchange)) continue;
      taken.push(outcome);
      for (const exchange of await shownIn(check, readers, outcome.exchange, forms))
        await judge(outcome, exchange, recordIn(exchange), form);
    }
    await judgeSources(check, session, sources.splice(0));
  }
  const read = await readBack(check, session, readers, taken, judge);
  for (const form of forms.slice(1)) await readBack(check, session, { ...readers, one: null }, taken, judge, form);
  if (read !== null) await judgeKeptLeads(check, session, read);
  const blanks = { ...base, name: '  Ana Example ' };
  if (schema.allows(blanks)) {
    const outcome = await session.send({
      lead: blanks,
      field: 'name',
      label: outerBlanks,
      strength: 'open',
      exact: true,
    });
    if (isSuccess(outcome.exchange)) await judge(outcome, outcome.exchange, recordIn(outcome.exchange));
  }
  if (!shownAnywhere)
    return check.notApplicable(
      'neither the answer to a create nor the readable part of a declared list shows the fields of a lead',
    );
  return isLossless;
}

const outerBlanks = 'blanks at both ends';

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

/** The changes that also occur for a second lead of the same kind with values of its own: no earlier lead explains those. */
async function recurring(
  check: Check,
  session: LeadSession,
  readers: Readers,
  one: LeadCase,
  found: readonly Change[],
  form?: AddressForm,
): Promise<readonly Change[]> {
  if (found.length === 0) return found;
  const drawn = await session.withUniqueFields(one);
  // A service may merge leads by their phones.
  const isOfPhone = one.field === 'phone' || found.some(({ field }) => field === 'phone');
  const lead = isOfPhone ? drawn : { ...drawn, phone: (await session.fresh())['phone'] };
  const answers = await shownIn(check, readers, await session.post(lead, form));
  const again = answers.flatMap((answer) => changes(lead, recordIn(answer)));
  return found.filter(({ field, loses }) => again.some((other) => other.field === field && (other.loses || !loses)));
}

/** Sources that differ in letters and length, for a gate and beyond it. */
const freeSources = ['website', 'Showroom Visit', 'referral', 'Spring fair 2026, stand 12 (north entrance)'];

/** An answer that shows a lead which was sent with a source. */
interface ShownSource {
  readonly sent: string;
  readonly record: Json;
  readonly made: Exchange;
  readonly exchange: Exchange;
}

/**
 * A source is shown as it was sent in the answers to creates, and in those to reads. A service may have its own list and show one of its sources in place
 * of those that it does not know, so another source counts as lost where it stands for this one alone, or where none is kept.
 */
async function judgeSources(check: Check, session: LeadSession, all: readonly ShownSource[]): Promise<void> {
  const { contract } = await check.contract();
  const { schema } = session.form;
  const isFree = schema.field('source').values === null;
  const declares = ({ request: { method, path } }: Exchange): boolean =>
    declaredLeadFields(contract.operation(method, path), contract.document).has('source');
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/[^a-z\d]+/g, '');
  const several = (some: readonly { readonly sent: string }[]): boolean =>
    new Set(some.map(({ sent }) => sent)).size > 1;
  for (const isRead of [false, true]) {
    const shown = all
      .filter(({ made, exchange }) => (exchange !== made) === isRead)
      .map(({ sent, record, exchange }) => ({ sent, record, exchange, is: record['source'] ?? null }))
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
    const respelt = changed.filter(({ sent, is }) => plain(sent) === plain(is));
    const replaced = changed.filter((one) => !respelt.includes(one));
    const altered = replaced.filter(
      ({ is }) => typeof is === 'string' && !kept.has(is) && !several(changed.filter((one) => one.is === is)),
    );
    const cut = altered.filter(({ sent, is }) => String(is).length > 3 && sent.startsWith(String(is)));
    const lost = [
      ...(several(respelt) ? respelt : []),
      ...(several(altered) ? altered : cut),
      ...(kept.size === 0 && respelt.length === 0 && several(replaced) ? replaced : []),
    ];
    const [first] = lost;
    if (first === undefined) continue;
    // A declared field that is not required may be left out of the answer to a create.
    const isCertain = (isRead || lost.some(({ is }) => is !== null)) && schema.properties.has('source');
    check[isCertain ? 'fail' : 'warn']({
      code: 'source-changed',
      expected: `source ${visibleJson(first.sent)} to be shown as it was sent`,
      actual: `${describe(first.exchange)} shows ${first.is === null ? 'other fields of the lead and no source' : visibleJson(first.is)}`,
      exchanges: lost.map((one) => one.exchange),
    });
  }
}
