import { asArray, asObject } from '../api/json.js';
import { leadId } from '../api/leads.js';
import { paths } from '../api/paths.js';
import { walk } from '../api/units.js';
import { dataOf } from '../api/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { exerciseLeads, type Outcome } from './acceptance.js';
import { accepted, openDesk, type LeadDesk } from './lead-desk.js';
import type { Lead } from './lead-schema.js';
import { arbitraryOf, type LeadCase } from './leads.js';
import fc from 'fast-check';
import { seedFor } from '../run/random.js';
import { declaredLeadFields } from './shown-fields.js';
import { visibleJson } from './visible-json.js';

/** A field that an answer shows otherwise than it was sent. */
export interface Change {
  readonly field: string;
  readonly sent: unknown;
  readonly shown: unknown;
  /** Whether something of the value is lost; else it is in another form of the same, or masked. */
  readonly loses: boolean;
}

const fields = ['name', 'phone', 'vehicleId', 'source'] as const;

/** The lead in an answer's `data`: flat, or under the usual names; never some other record that happens to have a name. */
export function shownLead(data: Record<string, unknown> | null): Record<string, unknown> | null {
  if (data === null) return null;
  for (const name of ['lead', 'item', 'record', 'result', 'created']) {
    const nested = asObject(data[name]);
    if (nested !== null) return nested;
  }
  return data;
}

/** Fields of the lead that are shown with another value than was sent; what is left out or structured is no change. */
export function changes(sent: Lead, shown: Record<string, unknown> | null): readonly Change[] {
  if (shown === null) return [];
  return fields.flatMap((field) => {
    const [was, is] = [sent[field], shown[field]];
    if (typeof was !== 'string' || !Object.hasOwn(shown, field) || is === was) return [];
    if (typeof is === 'object' && is !== null) return [];
    const isKept = typeof is === 'string' && (isMask(was, is) || sameForm(field, was, is));
    return [{ field, sent: was, shown: is, loses: !isKept }];
  });
}

/** Whether two texts differ in nothing but Unicode normalisation, blanks and, in names, case, or for phones in what stands between the digits. */
function sameForm(field: string, was: string, is: string): boolean {
  const folded = (text: string): string => (field === 'name' ? text.toUpperCase().toLowerCase() : text);
  const plain = (text: string): string => folded(text.normalize('NFKC')).normalize('NFKC').trim().replace(/\s+/gu, ' ');
  const digits = (text: string): string => text.replace(/^tel:/i, '').replace(/[\s().\-/]/g, '');
  return field === 'phone' ? /^\+\d+$/.test(was) && digits(was) === digits(is) : plain(was) === plain(is);
}

/** Whether characters of a value are hidden by stars or dots, and what is left of it stands in its place; or whether it is made initials. */
export function isMask(was: string, is: string): boolean {
  const words = was.trim().split(/\s+/u);
  const initials = words.map((word) => Array.from(word)[0] ?? '').join('');
  if (/[.\s]/.test(is) && is.replace(/[\s.]/g, '') === initials.replace(/\./g, '')) return true;
  const hides = /[*•●…]+|\.{2,}|(?<=\p{L})\.(?=\s|$)/gu;
  if (!hides.test(is)) return false;
  const whole = was.trim();
  let at = 0;
  for (const [index, piece] of is.split(hides).entries()) {
    const text = piece.trim();
    const found = whole.indexOf(text, at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + text.length;
  }
  return true;
}

/** Words by which a document announces that a field is shown otherwise than it was sent. */
const announcement =
  /normali[sz]|trimm|mask|redact|anonymi[sz]|truncat|shorten|abbreviat|reformat|(lower|upper|title).?case|escap|transliterat/i;

/** Fields whose description in the document says that they are changed. */
async function announcedFields(check: Check, desk: LeadDesk): Promise<ReadonlySet<string>> {
  const { contract } = await check.contract();
  const shown = declaredLeadFields(contract.operation('POST', paths.leads), contract.document);
  const says = (schema: unknown): boolean => announcement.test(String(asObject(schema)?.['description'] ?? ''));
  return new Set(fields.filter((field) => says(desk.maker.schema.properties.get(field)) || says(shown.get(field))));
}

/** LEAD-07: what was sent comes back without loss in the answer and in every declared read operation. */
export async function judgeRoundTrip(check: Check): Promise<void> {
  const replaying = check.run.path !== null;
  const exercise = replaying ? null : await exerciseLeads(check);
  const desk = await openDesk(check, 'LEAD-07');
  const readers = await leadReaders(check);
  const announced = await announcedFields(check, desk);
  let shownAnywhere = 0;
  const told = new Set<string>();
  const compare = (lead: Lead, exchange: Exchange, shown: Record<string, unknown> | null): readonly Change[] => {
    if (shown !== null && fields.some((field) => Object.hasOwn(shown, field))) shownAnywhere += 1;
    return changes(lead, shown).map((change) => ({ ...change, exchange }));
  };
  const tell = (found: readonly Change[], label: string, exchanges: readonly Exchange[]): void => {
    for (const { field, sent, shown, loses } of found) {
      const isSoft = !loses || announced.has(field);
      // One warning a field says enough of another form; each loss may be another.
      const key = isSoft ? field : `${field} ${label}`;
      if (told.has(key) || told.size > 12) continue;
      told.add(key);
      const words = {
        expected: `${field} ${visibleJson(sent)} ${isSoft ? 'as it was sent' : 'without loss'} (${label})`,
        actual: `${describe(exchanges.at(-1) ?? nothing())} shows ${visibleJson(shown)}`,
        exchanges,
      };
      if (isSoft) check.caution(words);
      else check.breach(words);
    }
  };
  if (exercise !== null) {
    if (!accepted(exercise.plain))
      return check.blocked(`a plain lead is not taken (see LEAD-01): ${describe(exercise.plain)}`);
    const taken = exercise.outcomes.filter((outcome) => accepted(outcome.exchange));
    for (const outcome of taken) {
      const { one, lead, exchange } = outcome;
      const found = compare(lead, exchange, shownLead(dataOf(exchange)));
      if (one.strength !== 'open' || one.field === 'vehicleId')
        tell(await confirmed(desk, outcome, found), one.label, [exchange]);
    }
    await readBack(check, desk, readers, taken, (outcome, exchange, shown) => {
      const found = compare(outcome.lead, exchange, shown).filter(
        (change) => outcome.one.field !== 'phone' || change.field === 'phone',
      );
      if (outcome.one.strength !== 'open') tell(found, `${outcome.one.label}, read back`, [outcome.exchange, exchange]);
    });
    await judgeLost(check, taken);
    await trySources(check, desk);
    await tryOuterBlanks(desk, compare, tell);
    if (shownAnywhere === 0)
      return check.notApplicable(
        'neither an answer to a create nor what could be read of a declared list shows the fields of a lead',
      );
    if (check.breaches.some((one) => !one.soft)) return;
  }
  await searchChanges(check, desk, readers, announced);
}

/** The changes that a second lead of the same kind, with markers of its own, meets as well: no earlier lead explains those. */
async function confirmed(desk: LeadDesk, { one }: Outcome, found: readonly Change[]): Promise<readonly Change[]> {
  // Where a fixed value is tried, a service that merges leads by it may show an earlier one in the other fields.
  const own = found.filter((change) => one.field !== 'phone' || change.field === 'phone');
  if (own.length === 0) return own;
  const lead = await desk.freshen(one);
  const again = changes(lead, shownLead(dataOf(await desk.post(lead))));
  return own.filter((change) => again.some((other) => other.field === change.field));
}

function nothing(): never {
  throw new Error('a change without an exchange');
}

/** A free source may be unknown to a service and shown as another; where each of two usual ones is shown as another, none is kept. */
async function trySources(check: Check, desk: LeadDesk): Promise<void> {
  const { schema, base } = desk.maker;
  if (schema.field('source').values !== null) return;
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/[^a-z\d]+/g, '');
  const changed: { sent: string; is: unknown; exchange: Exchange }[] = [];
  for (const source of ['website', 'referral']) {
    if (!schema.allows({ ...base, source })) return;
    const exchange = await desk.post(
      await desk.freshen({ lead: { ...base, source }, field: 'source', label: 'source', strength: 'open' }),
    );
    const is = shownLead(dataOf(exchange))?.['source'];
    if (!accepted(exchange) || typeof is !== 'string' || plain(is) === plain(source)) return;
    changed.push({ sent: source, is, exchange });
  }
  const [first] = changed;
  if (first === undefined) return;
  check.breach({
    expected: `source ${visibleJson(first.sent)} unchanged`,
    actual: `${describe(first.exchange)} shows ${visibleJson(first.is)}, and no other source is kept either`,
    exchanges: changed.map((one) => one.exchange),
  });
}

/** A source that was sent, that the answer declares, and that is missing among the other fields of the lead was lost. */
async function judgeLost(check: Check, taken: readonly Outcome[]): Promise<void> {
  const { contract } = await check.contract();
  if (!declaredLeadFields(contract.operation('POST', paths.leads), contract.document).has('source')) return;
  const lost = taken.filter(({ one, exchange }) => {
    const shown = shownLead(dataOf(exchange));
    const rest = ['name', 'phone', 'vehicleId'].every((field) => shown !== null && Object.hasOwn(shown, field));
    return (
      one.field === 'source' && one.strength === 'must' && rest && shown !== null && !Object.hasOwn(shown, 'source')
    );
  });
  const [first] = lost;
  if (!first || lost.length < taken.filter(({ one }) => one.field === 'source' && one.strength === 'must').length)
    return;
  // A declared field that is not required may be left out of an answer.
  check.caution({
    expected: `source ${visibleJson(first.lead['source'])} shown, as the answer declares it`,
    actual: `${describe(first.exchange)} shows every other field of the lead and no source`,
    exchanges: [first.exchange],
  });
}

async function tryOuterBlanks(
  desk: LeadDesk,
  compare: (lead: Lead, exchange: Exchange, shown: Record<string, unknown> | null) => readonly Change[],
  tell: (found: readonly Change[], label: string, exchanges: readonly Exchange[]) => void,
): Promise<void> {
  const name = '  Ana Example ';
  const lead = { ...desk.maker.base, name };
  if (!desk.maker.schema.allows(lead)) return;
  const sent = await desk.freshen({ lead, field: 'name', label: 'outer blanks', strength: 'open' });
  const exchange = await desk.post(sent);
  if (!accepted(exchange)) return;
  tell(compare(sent, exchange, shownLead(dataOf(exchange))), 'blanks at both ends', [exchange]);
}

/** Declared ways to read leads. */
interface Readers {
  readonly one: string | null;
  readonly list: string | null;
}

async function leadReaders(check: Check): Promise<Readers> {
  const { contract } = await check.contract();
  const declared = contract.operations.filter((operation) => operation.method.toUpperCase() === 'GET');
  const one = declared.find((operation) => operation.role === 'lead' && /\{[^{}]+\}$/.test(operation.fullTemplate));
  const list = declared.find((operation) => operation.role === 'leads');
  return { one: one?.fullTemplate ?? null, list: list === undefined ? null : paths.leads };
}

/** Reads leads by their ids, as many as the budget allows, and all that the list shows. */
async function readBack(
  check: Check,
  desk: LeadDesk,
  readers: Readers,
  taken: readonly Outcome[],
  judge: (outcome: Outcome, exchange: Exchange, shown: Record<string, unknown> | null) => void,
): Promise<void> {
  const byId = new Map<string, Outcome>();
  for (const outcome of taken) {
    const id = leadId(outcome.exchange);
    // Equal ids for different leads are another requirement's matter; which of them is shown cannot be told.
    if (id !== null) byId.set(id, outcome);
  }
  if (byId.size < taken.filter((outcome) => leadId(outcome.exchange) !== null).length) return;
  if (readers.list !== null) {
    const found = await walk(check, { path: readers.list, limit: 50, maxPages: 12 });
    for (const page of found.pages) {
      for (const item of asArray(page.items) ?? []) {
        const record = asObject(item);
        const outcome = byId.get(idText(record) ?? '');
        if (outcome) judge(outcome, page.exchange, record);
      }
    }
  }
  if (readers.one === null) return;
  const reserve = check.run.depth === 'gate' ? 4 : 60;
  for (const [id, outcome] of [...byId].sort(([, a], [, b]) => telling(b) - telling(a))) {
    if (desk.left <= reserve) return;
    const exchange = await check.send({ path: readers.one.replace(/\{[^{}]+\}$/, encodeURIComponent(id)) });
    const shown = shownLead(dataOf(exchange));
    const ownId = idText(shown);
    if (shown !== null && (ownId === null || ownId === id)) judge(outcome, exchange, shown);
  }
}

function idText(record: Record<string, unknown> | null): string | null {
  const id = record?.['id'] ?? record?.['leadId'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

/** Names that most changes would show on come first. */
function telling({ one, lead }: Outcome): number {
  const name = String(lead['name']);
  return (
    (one.strength === 'open' ? 0 : 4) +
    (one.field === 'name' ? 2 : 0) +
    // A name that is long shows what is cut; two of those are read before the rest.
    (name.length > 60 && one.strength !== 'open' ? 2 : 0) +
    (/['"<&]| {2}|[^\x00-\x7f]/.test(name) || name.length > 60 ? 1 : 0)
  );
}

/** The answers that show a lead: the one that created it, and the one that reads it by its id. */
async function shownIn(check: Check, readers: Readers, made: Exchange): Promise<Exchange[]> {
  const id = leadId(made);
  if (id === null || readers.one === null) return [made];
  return [made, await check.send({ path: readers.one.replace(/\{[^{}]+\}$/, encodeURIComponent(id)) })];
}

/** Whether a second lead loses the same field, with a phone that no other lead has: a service may merge leads by their phones. */
async function repeats(check: Check, desk: LeadDesk, readers: Readers, one: LeadCase, found: Change): Promise<boolean> {
  const { phone } = await desk.freshen({ lead: desk.maker.base, field: '', label: '', strength: 'must' });
  const drawn = await desk.freshen(one);
  const lead = found.field === 'phone' ? drawn : { ...drawn, phone };
  const answers = await shownIn(check, readers, await desk.post(lead));
  return answers.some((answer) =>
    changes(lead, shownLead(dataOf(answer))).some((change) => change.loses && change.field === found.field),
  );
}

async function searchChanges(
  check: Check,
  desk: LeadDesk,
  readers: Readers,
  announced: ReadonlySet<string>,
): Promise<void> {
  const { path } = check.run;
  let shrinking = 0;
  let failed: { change: Change; exchange: Exchange } | null = null;
  const property = fc.asyncProperty(arbitraryOf(desk.maker), async (one) => {
    if (failed !== null && (shrinking += 2) > 40) return true;
    const lead = await desk.freshen(one);
    const made = await desk.post(lead);
    if (!accepted(made)) return true;
    for (const exchange of await shownIn(check, readers, made)) {
      const found = changes(lead, shownLead(dataOf(exchange))).find(
        (change) =>
          change.loses && !announced.has(change.field) && (failed === null || change.field === failed.change.field),
      );
      if (found && (failed !== null || (await repeats(check, desk, readers, one, found)))) {
        failed = { change: found, exchange };
        return false;
      }
    }
    return true;
  });
  const replay = path === null ? {} : { path, endOnFailure: true };
  const runs = Math.max(4, Math.min(60, Math.floor(desk.left / (readers.one === null ? 1 : 2)) - 1));
  const result = await fc.check(property, {
    seed: seedFor(check.run.seed, 'LEAD-07') | 0,
    numRuns: path === null ? runs : 1,
    ...replay,
  });
  const found = failed as { change: Change; exchange: Exchange } | null;
  if (!result.failed) return;
  if (!found) throw new Error('the search for changed leads failed', { cause: result.errorInstance });
  check.breach({
    expected: `${found.change.field} ${visibleJson(found.change.sent)} without loss`,
    actual: `${describe(found.exchange)} shows ${visibleJson(found.change.shown)}`,
    exchanges: [found.exchange],
    ...(result.counterexamplePath === null ? {} : { path: result.counterexamplePath }),
  });
}
