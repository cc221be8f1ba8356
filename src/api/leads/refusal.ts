import { idIn, isRefusal, isSuccess, paths, recordId, recordIn, walk } from '../../service/index.js';
import { createContract } from '../../openapi/index.js';
import fc from 'fast-check';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { shrinkBudget } from './acceptance.js';
import {
  arbitraryOf,
  bundledPairs,
  failureKind,
  fullLead,
  isLeftOut,
  isRecord,
  judgeOf,
  type Lead,
  type LeadCase,
  type LeadSchema,
  type MinimalPair,
  readLeadSchema,
  sampleLeads,
  searchCounterexample,
  visibleJson,
  withoutBroken,
} from '../../generators/index.js';
import { type LeadSession } from './lead-session.js';
import { leadReaders, shownIn, type Readers } from './lead-readers.js';

/** What the answer to a lead that breaks the schema shows about the service. */
export type Grade = 'refused' | 'accepted' | 'broken' | 'unclear';

/** Grades the answer: only a 4xx that speaks of the input, or `ok: false` with a 2xx status, is a refusal for the right reason. */
export function gradeRefusal(exchange: Exchange): Grade {
  const status = exchange.response?.status ?? 0;
  if (status >= 500 || status === 0) return 'broken';
  if ([401, 403, 404, 405, 407, 408, 409, 423, 425, 426, 428, 429, 431, 451].includes(status)) return 'unclear';
  return isRefusal(exchange) ? 'refused' : 'accepted';
}

/** Valid leads that the service takes: the fullest first, the smallest always. */
export async function takenExamples(check: Check, session: LeadSession): Promise<readonly Lead[]> {
  const { form } = session;
  const wide = [...sampleLeads(form.schema, 40)]
    .map((sample) => ({ ...sample, ...fullLead(form) }))
    .filter((lead) => form.schema.allows(lead))
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length)
    .slice(0, 1);
  const taken: Lead[] = [];
  const seen = new Set<string>([Object.keys(form.base).sort().join()]);
  const shapeOf = (lead: Lead): string => Object.keys(lead).sort().join();
  const full = fullLead(form);
  for (const lead of [...wide, full]) {
    const shape = shapeOf(lead);
    const isFull = shape === shapeOf(full);
    if (seen.has(shape)) continue;
    seen.add(shape);
    const tries = [await session.post(await fresh(session, lead))];
    if (isFull && !tries.every(isSuccess)) tries.push(await session.post(await fresh(session, lead)));
    if (tries.some(isSuccess)) taken.push(lead);
    // Values that nobody names may mean something that the service does not know.
    else if (isFull)
      check.warn({
        code: 'full-lead-refused',
        expected: 'a lead with every declared field that meets the declared schema to be accepted',
        actual: `${tries.map(describe).join(', ')} for ${visibleJson(lead)}`,
        exchanges: tries,
      });
  }
  return [...taken, form.base];
}

function fresh(session: Pick<LeadSession, 'withUniqueFields'>, lead: Lead): Promise<Lead> {
  return session.withUniqueFields({ lead, field: 'pair', label: 'pair', strength: 'must' });
}

/**
 * The broken body of a pair with a fresh name, phone and vehicle, so that no answer can come from an earlier lead; verified to be still
 * broken.
 */
export async function freshBreach(
  session: Pick<LeadSession, 'withUniqueFields' | 'form'>,
  pair: MinimalPair,
): Promise<unknown> {
  const { invalid } = pair;
  if (!isRecord(invalid)) return invalid;
  const valid = pair.valid as Lead;
  const renewed = await fresh(session, valid);
  const moved = { ...invalid };
  for (const field of ['name', 'phone', 'vehicleId'])
    if (typeof invalid[field] === 'string' && invalid[field] === valid[field]) moved[field] = renewed[field];
  const judge = judgeOf(session.form.schema.whole);
  const names = (value: unknown): string =>
    judge(value)
      .map((error) => `${error.instancePath} ${error.keyword}`)
      .join();
  return names(moved) === names(invalid) ? moved : invalid;
}

interface Reached {
  readonly tried: readonly MinimalPair[];
  readonly untried: readonly string[];
  readonly unclear: readonly string[];
  /** Breaches of a format, which were accepted and may be. */
  readonly lenient: readonly string[];
  /** Whether a breach was reported that fails. */
  readonly isBroken: boolean;
}

/** Leads with one breach each, of leads that were taken, until the budget ends. */
export async function breakLeads(check: Check, session: LeadSession, untouched: readonly Lead[]): Promise<Reached> {
  const pairs = new Map<string, MinimalPair>();
  for (const lead of untouched)
    for (const pair of bundledPairs(session.form.schema.whole, lead)) if (!pairs.has(pair.id)) pairs.set(pair.id, pair);
  const ordered = [...pairs.values()].sort((a, b) => a.rank - b.rank);
  const reserve = check.run.depth === 'gate' ? 8 : 60;
  const tried: MinimalPair[] = [];
  const unclear: string[] = [];
  const lenient: string[] = [];
  const leftOut = new Set<string>();
  let [reported, isBroken] = [0, false];
  for (const [at, pair] of ordered.entries()) {
    if (session.left <= reserve || reported >= 12)
      return { tried, untried: ordered.slice(at).map((rest) => rest.id), unclear, lenient, isBroken };
    const exchange = await session.post(await freshBreach(session, pair));
    tried.push(pair);
    const grade = gradeRefusal(exchange);
    if (grade === 'unclear' || wrongField(exchange, pair, session))
      unclear.push(`${pair.id.trim()} (${String(exchange.response?.status ?? 0)})`);
    if (grade === 'accepted' && pair.force === 'annotation') lenient.push(pair.id.trim());
    else if ((grade === 'accepted' || grade === 'broken') && (await stands(check, session, pair, grade))) {
      reported += 1;
      const isSoft = await leavesOut(check, session, pair, exchange);
      // One warning a member says enough.
      if (!isSoft || !leftOut.has(pair.pointer)) tell(check, pair, exchange, { isSoft });
      if (isSoft) leftOut.add(pair.pointer);
      else isBroken = true;
    }
  }
  if (lenient.length > 0) check.observe('Which declared formats are not enforced?', lenient.join('; '));
  return { tried, untried: [], unclear, lenient, isBroken };
}

/** The lead schema of the served document, where another document is pinned: a service may accept more than the pinned one declares. */
function servedSchema(check: Check): Promise<LeadSchema | null> {
  return check.once('served schema of leads', async () => {
    const { served, pinned } = await check.contract();
    if (served === null || pinned === null) return null;
    const raw: unknown = createContract(served).operation('POST', paths.leads)?.requestSchema ?? null;
    return readLeadSchema(typeof raw === 'boolean' || isRecord(raw) ? raw : null, served);
  });
}

/** Whether the verdict holds on a second try, with the untouched lead taken in between. */
async function stands(check: Check, session: LeadSession, pair: MinimalPair, grade: Grade): Promise<boolean> {
  if (grade === 'accepted' && (await servedSchema(check))?.allows(pair.invalid) === true) return false;
  const untouched = await session.post(await fresh(session, pair.valid as Lead));
  if (!isSuccess(untouched)) return grade === 'broken' && (untouched.response?.status ?? 500) >= 500;
  const again = await session.post(await freshBreach(session, pair));
  return gradeRefusal(again) === grade;
}

/** The answer names another declared field and not the broken one. */
function wrongField(exchange: Exchange, pair: MinimalPair, session: LeadSession): boolean {
  const said = JSON.stringify(exchange.response?.json ?? '');
  const own = pair.pointer.split('/')[1] ?? pair.id.split(' ').at(-1) ?? '';
  const others = [...session.form.schema.properties.keys()].filter((name) => name !== own);
  return (
    gradeRefusal(exchange) === 'refused' && !said.includes(own) && others.some((name) => said.includes(`"${name}"`))
  );
}

/** Whether an accepted lead was created without its broken member, which is optional: nothing shows it, so nothing invalid was taken. */
async function leavesOut(check: Check, session: LeadSession, pair: MinimalPair, exchange: Exchange): Promise<boolean> {
  const rest = withoutBroken(pair, pair.valid, session.form.schema.allows);
  if (!isSuccess(exchange) || rest === null) return false;
  // The vehicle may have been sold since; another try draws another one.
  const first = await session.post(await fresh(session, rest));
  const bare = isSuccess(first) ? first : await session.post(await fresh(session, rest));
  const readers = await leadReaders(check);
  const [shown, without] = [await recordsOf(check, readers, exchange), await recordsOf(check, readers, bare)];
  return isLeftOut(pair, shown, isSuccess(bare) ? without : []);
}

/** A lead as every declared operation shows it that can name it. */
async function recordsOf(check: Check, readers: Readers, made: Exchange): Promise<readonly unknown[]> {
  const id = idIn(made);
  const listed =
    readers.list === null || id === null
      ? []
      : (await walk(check, { path: readers.list, limit: 50, maxPages: 12 })).items;
  const shown = (await shownIn(check, readers, made)).map((one) => recordIn(one));
  return [...shown, ...listed.filter((item) => recordId(item) === id)];
}

function tell(
  check: Check,
  pair: MinimalPair,
  exchange: Exchange,
  { isSoft, path }: { readonly isSoft: boolean; readonly path?: string | undefined },
): void {
  check[isSoft ? 'warn' : 'fail']({
    code: 'invalid-taken',
    field: pair.description,
    expected: `4xx for a lead that breaks the declared schema in one place: ${pair.description}`,
    actual: `${describe(exchange)} for ${visibleJson(pair.invalid)}`,
    exchanges: [exchange],
    ...(path === undefined ? {} : { path }),
  });
}

/** Observes how many breaches were tried, and which were not. */
export function reportBroken(check: Check, session: LeadSession, { tried, untried, unclear }: Reached): void {
  const { unknownKeywords } = session.form.schema;
  const lists = [
    ['not tried within the limit on requests', untried],
    ['refused, but perhaps for another reason', unclear],
    ['keywords not understood', unknownKeywords],
  ] as const;
  const parts = lists.flatMap(([what, of]) => (of.length === 0 ? [] : [`${what}: ${of.slice(0, 12).join('; ')}`]));
  check.observe(
    'Which breaches of the declared schema were tried, one at a time?',
    [String(tried.length), ...parts].join('. '),
  );
}

/** Random leads with one breach each; how many breaches were sent. */
export async function searchAccepted(check: Check, session: LeadSession): Promise<number> {
  let sent = 0;
  type Failure = { readonly kind: string; readonly pair: MinimalPair; readonly exchange: Exchange };
  const judge = async ([one, draw]: [LeadCase, number], known: string | null): Promise<Failure | null> => {
    if (session.left <= 2 - shrinkBudget) return null;
    const lead = await fresh(session, one.lead);
    const pairs = bundledPairs(session.form.schema.whole, lead).filter((pair) => pair.force === 'assertion');
    const pair = pairs[draw % Math.max(1, pairs.length)];
    if (!pair || !isSuccess(await session.post(lead))) return null;
    sent += 1;
    const exchange = await session.post(await freshBreach(session, pair));
    const grade = gradeRefusal(exchange);
    if (grade !== 'accepted' && grade !== 'broken') return null;
    const kind = `${grade} ${grade === 'broken' ? failureKind(exchange) : ''} ${pair.id}`;
    if (known !== null) return { kind, pair, exchange };
    const counts = (await stands(check, session, pair, grade)) && !(await leavesOut(check, session, pair, exchange));
    return counts ? { kind, pair, exchange } : null;
  };
  const found = await searchCounterexample(check, fc.tuple(arbitraryOf(session.form), fc.nat({ max: 9999 })), judge, {
    runs: Math.max(2, Math.min(60, Math.floor(session.left / 2))),
    shrinkRequests: shrinkBudget,
  });
  if (found !== null) tell(check, found.failure.pair, found.failure.exchange, { isSoft: false, path: found.path });
  return sent;
}
