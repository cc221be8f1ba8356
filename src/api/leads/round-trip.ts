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
  type Lead,
  type LeadCase,
  modestSources,
  propertiesOf,
  searchCounterexample,
  sourcesOf,
  visibleJson,
} from '../../generators/index.js';
import { exerciseLeads } from './acceptance.js';
import { blockUnlessTaken, type LeadOutcome, openLeadSession, type LeadSession } from './lead-session.js';
import { judgeKeptLeads } from './kept-leads.js';
import { type AddressForm, addressForms } from '../../settings/index.js';
import { fields, changes, isMask, unfolded, type Change } from './shown-changes.js';
import { leadReaders, readBack, pathOf, shownIn, type JudgeRead, type Readers } from './lead-readers.js';

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
  return fields.filter((field) => says(session.form.schema.properties.get(field)) || says(shown.get(field)));
}

/** Fields that most answers show masked: what a mask leaves of an odd text may not be recognised as one. */
function maskedFields(outcomes: readonly LeadOutcome[]): readonly string[] {
  const taken = outcomes.filter(({ exchange }) => isSuccess(exchange));
  const isMasked = (field: string, { lead, exchange }: LeadOutcome): boolean =>
    isMask(String(lead[field]), String(recordIn(exchange)?.[field] ?? ''));
  return fields.filter((field) => taken.filter((one) => isMasked(field, one)).length * 2 > taken.length);
}

/** The changes that a shown lead has, and what reports them by the answers that show them, the last of which is named. */
type Compare = (lead: Lead, shown: Record<string, unknown> | null) => readonly Change[];
type Tell = (found: readonly Change[], label: string, ...exchanges: readonly Exchange[]) => void;

/** LEAD-07: what was sent comes back without loss in the answer and in every declared read operation. */
export async function judgeRoundTrip(check: Check): Promise<void> {
  const replaying = check.run.path !== null;
  const exercise = replaying ? null : await exerciseLeads(check);
  const session = await openLeadSession(check, { gate: 50, certify: 180 });
  const readers = await leadReaders(check);
  const masked = exercise === null ? [] : maskedFields(exercise.outcomes);
  const announced = new Set([...(await announcedFields(check, session)), ...masked]);
  let shownAnywhere = 0;
  const reported = new Set<string>();
  let isLossless = true;
  const compare: Compare = (lead, shown) => {
    const record = unfolded(lead, shown);
    if (record !== null && fields.some((field) => Object.hasOwn(record, field))) shownAnywhere += 1;
    return changes(lead, shown);
  };
  const tell: Tell = (found, label, ...exchanges) => {
    const [shows = ''] = exchanges.slice(-1).map(describe);
    for (const { field, sent, shown, loses } of found) {
      const isSoft = !loses || announced.has(field);
      // One warning a field says enough of another form; each loss may be another.
      const key = isSoft ? field : `${field} ${label}`;
      if (reported.has(key) || reported.size > 12) continue;
      reported.add(key);
      isLossless &&= isSoft;
      check[isSoft ? 'warn' : 'fail']({
        code: isSoft ? 'changed' : 'lossy',
        field,
        expected: `${field} ${visibleJson(sent)} ${isSoft ? 'as it was sent' : 'without loss'} (${label})`,
        actual: `${shows} shows ${visibleJson(shown)}`,
        exchanges,
      });
    }
  };
  if (exercise !== null) {
    blockUnlessTaken(check, exercise.plain);
    const taken = exercise.outcomes.filter((outcome) => isSuccess(outcome.exchange));
    for (const outcome of taken) {
      const { one, lead, exchange } = outcome;
      const found = compare(lead, recordIn(exchange));
      const demanded = found.filter((change) => isDemanded(one, change));
      tell(await confirmed(session, outcome, demanded), one.label, exchange);
    }
    const judgeRead: JudgeRead = ({ one, lead, exchange: made }, exchange, shown) => {
      const found = compare(lead, shown).filter(
        (change) => isDemanded(one, change) && (one.field !== 'phone' || change.field === 'phone'),
      );
      tell(found, `${one.label}, read back`, made, exchange);
    };
    const all = [...taken];
    const forms = addressForms(check.target);
    for (const form of forms) all.push(...(await roundTripSources(check, session, readers, tell, form)));
    const read = await readBack(check, session, readers, all, judgeRead);
    for (const form of forms.slice(1)) await readBack(check, session, { ...readers, one: null }, all, judgeRead, form);
    if (read !== null) await judgeKeptLeads(check, session, read, (id) => pathOf(readers, id));
    await tryOuterBlanks(session, compare, tell);
    if (shownAnywhere === 0)
      return check.notApplicable(
        'neither the answer to a create nor the readable part of a declared list shows the fields of a lead',
      );
    if (!isLossless) return;
  }
  await searchChanges(check, session, readers, announced);
}

/** Whether the field has to be shown as it was sent: not where its odd value is what is tried, but for the id of a vehicle. */
function isDemanded({ strength, field }: LeadCase, change: Change): boolean {
  return strength !== 'open' || change.field !== field || field === 'vehicleId';
}

/** The changes that also occur for a second lead of the same kind with its own markers: no earlier lead explains those. */
async function confirmed(
  session: LeadSession,
  { one }: LeadOutcome,
  found: readonly Change[],
  form?: AddressForm,
): Promise<readonly Change[]> {
  // With a fixed value, a service that merges leads by it may show the other fields of an earlier lead.
  const own = found.filter((change) => one.field !== 'phone' || change.field === 'phone');
  if (own.length === 0) return own;
  const lead = await session.withUniqueFields(one);
  const again = changes(lead, recordIn(await session.post(lead, form)));
  return own.filter((change) => again.some((other) => other.field === change.field));
}

/** Sources that differ in letters and length, for a gate and beyond it. */
const freeSources = ['website', 'Showroom Visit', 'referral', 'Spring fair 2026, stand 12 (north entrance)'];

/** What an answer shows of the source of a lead. */
interface ShownSource {
  readonly sent: string;
  readonly is: unknown;
  readonly exchange: Exchange;
}

/** Creates a lead for each of several sources, and judges the answers that show it; the leads that were accepted. */
async function roundTripSources(
  check: Check,
  session: LeadSession,
  readers: Readers,
  tell: Tell,
  form: AddressForm,
): Promise<readonly LeadOutcome[]> {
  const { contract } = await check.contract();
  const { schema, base } = session.form;
  const { values } = schema.field('source');
  const declares = (method: string, path: string): boolean =>
    declaredLeadFields(contract.operation(method, path), contract.document).has('source');
  const candidates = sourcesOf(session.form, [...freeSources, ...modestSources]);
  const most = check.run.depth === 'gate' ? 4 : 12;
  const outcomes: LeadOutcome[] = [];
  const shown: ShownSource[] = [];
  for (const source of candidates.slice(0, most)) {
    const one: LeadCase = {
      lead: { ...base, source },
      field: 'source',
      label: `source ${visibleJson(source)}`,
      strength: 'open',
    };
    const lead = await session.withUniqueFields(one);
    const made = await session.post(lead, form);
    if (!isSuccess(made)) continue;
    const outcome: LeadOutcome = { one, lead, exchange: made };
    outcomes.push(outcome);
    for (const exchange of await shownIn(check, readers, made, addressForms(check.target))) {
      const record = recordIn(exchange);
      const found = changes(lead, record).filter(({ field }) => field !== 'source' || values !== null);
      if (found.some(({ loses }) => loses))
        tell(await confirmed(session, outcome, found, form), one.label, made, exchange);
      const is = record?.['source'] ?? null;
      const hasOthers = ['name', 'phone', 'vehicleId'].filter((field) => record?.[field] !== undefined).length > 1;
      const { method, path } = exchange.request;
      if (typeof is === 'string' || (is === null && hasOthers && declares(method, path)))
        shown.push({ sent: source, is, exchange });
    }
  }
  for (const method of ['POST', 'GET'] as const) judgeSources(check, session, shown, method);
  return outcomes;
}

/**
 * A source is shown as it was sent in the answers to this method. A service may have its own list and show one of its sources in place of those that
 * it does not know, so another source counts as lost where it stands for this one alone, or where none is kept.
 */
function judgeSources(check: Check, session: LeadSession, all: readonly ShownSource[], method: 'POST' | 'GET'): void {
  const { schema } = session.form;
  const isFree = schema.field('source').values === null;
  // Another value in place of a declared one is reported as that of any field.
  const shown = all.filter(({ is, exchange }) => exchange.request.method === method && (isFree || is === null));
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/[^a-z\d]+/g, '');
  const isSame = ({ sent, is }: ShownSource): boolean =>
    typeof is === 'string' && is.normalize('NFC').trim() === sent.normalize('NFC').trim();
  const kept = new Set(shown.filter(isSame).map(({ sent }) => sent));
  const changed = shown.filter((one) => !isSame(one));
  const respelt = changed.filter(({ sent, is }) => plain(sent) === plain(is));
  const standsForOthers = (is: unknown): boolean =>
    kept.has(String(is)) || new Set(changed.filter((one) => one.is === is).map(({ sent }) => sent)).size > 1;
  const replaced = changed.filter((one) => !respelt.includes(one));
  const altered = replaced.filter(({ is }) => typeof is === 'string' && !standsForOthers(is));
  const isCut = ({ sent, is }: ShownSource): boolean => typeof is === 'string' && is.length > 3 && sent.startsWith(is);
  const several = (some: readonly ShownSource[]): boolean => new Set(some.map(({ sent }) => sent)).size > 1;
  const lost = [
    ...(several(respelt) ? respelt : []),
    ...(several(altered) ? altered : altered.filter(isCut)),
    ...(kept.size === 0 && respelt.length === 0 && several(replaced) ? replaced : []),
  ];
  const [first] = lost;
  if (first === undefined) return;
  // A declared field that is not required may be left out of the answer to a create.
  const isRead = method === 'GET' || lost.some(({ is }) => typeof is === 'string');
  check[isRead && schema.properties.has('source') ? 'fail' : 'warn']({
    code: 'source-changed',
    expected: `source ${visibleJson(first.sent)} to be shown as it was sent`,
    actual: `${describe(first.exchange)} shows ${first.is === null ? 'other fields of the lead and no source' : visibleJson(first.is)}`,
    exchanges: lost.map((one) => one.exchange),
  });
}

async function tryOuterBlanks(session: LeadSession, compare: Compare, tell: Tell): Promise<void> {
  const name = '  Ana Example ';
  const lead = { ...session.form.base, name };
  if (!session.form.schema.allows(lead)) return;
  const sent = await session.withUniqueFields({ lead, field: 'name', label: 'outer blanks', strength: 'open' });
  const exchange = await session.post(sent);
  if (!isSuccess(exchange)) return;
  // A service that merges leads by their names may show the other fields of an earlier lead.
  const found = compare(sent, recordIn(exchange)).filter(({ field }) => field === 'name');
  tell(found, 'blanks at both ends', exchange);
}

/** Whether a second lead loses the same field, with a phone that no other lead has: a service may merge leads by their phones. */
async function repeats(
  check: Check,
  session: LeadSession,
  readers: Readers,
  one: LeadCase,
  found: Change,
): Promise<boolean> {
  const { phone } = await session.fresh();
  const drawn = await session.withUniqueFields(one);
  const lead = found.field === 'phone' ? drawn : { ...drawn, phone };
  const answers = await shownIn(check, readers, await session.post(lead));
  return answers.some((answer) =>
    changes(lead, recordIn(answer)).some((change) => change.loses && change.field === found.field),
  );
}

async function searchChanges(
  check: Check,
  session: LeadSession,
  readers: Readers,
  announced: ReadonlySet<string>,
): Promise<void> {
  type Failure = { readonly kind: string; readonly change: Change; readonly exchange: Exchange };
  const judge = async (one: LeadCase, known: string | null): Promise<Failure | null> => {
    const lead = await session.withUniqueFields(one);
    const made = await session.post(lead);
    if (!isSuccess(made)) return null;
    for (const exchange of await shownIn(check, readers, made)) {
      const change = changes(lead, recordIn(exchange)).find(
        ({ loses, field }) => loses && !announced.has(field) && (known === null || field === known),
      );
      if (change && (known !== null || (await repeats(check, session, readers, one, change))))
        return { kind: change.field, change, exchange };
    }
    return null;
  };
  const found = await searchCounterexample(check, arbitraryOf(session.form), judge, {
    runs: Math.max(4, Math.min(60, Math.floor(session.left / (readers.one === null ? 1 : 2)) - 1)),
    shrinkRequests: 40,
  });
  if (found === null) return;
  const { failure, path } = found;
  check.fail({
    code: 'lossy',
    field: failure.change.field,
    expected: `${failure.change.field} ${visibleJson(failure.change.sent)} without loss`,
    actual: `${describe(failure.exchange)} shows ${visibleJson(failure.change.shown)}`,
    exchanges: [failure.exchange],
    ...(path === undefined ? {} : { path }),
  });
}
