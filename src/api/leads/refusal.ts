import { idIn, isRefusal, isSuccess, paths, recordId, recordIn } from '../../service/index.js';
import { at, createContract } from '../../openapi/index.js';
import fc from 'fast-check';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  arbitraryOf,
  bundledPairs,
  failureKind,
  fullLead,
  isLeftOut,
  isRecord,
  judgeOf,
  type Lead,
  type MinimalPair,
  sampleLeads,
  visibleJson,
  withoutBroken,
} from '../../generators/index.js';
import {
  blockUnlessTaken,
  confirm,
  type Finding,
  type LeadSession,
  judgeLeads,
  observeUntried,
  openLeadSession,
} from './lead-session.js';
import { listLeads } from './leads.js';
import { shownIn } from './stored-leads.js';

/** What the answer to a lead that breaks the schema shows about the service. */
export type Grade = 'refused' | 'accepted' | 'broken' | 'unclear';

/** Grades the answer: only a 4xx that speaks of the input, or `ok: false` with a 2xx status, is a refusal for the right reason. */
export function gradeRefusal(exchange: Exchange): Grade {
  const status = exchange.response?.status ?? 0;
  if (status >= 500 || status === 0) return 'broken';
  if ([401, 403, 404, 405, 407, 408, 409, 423, 425, 426, 428, 429, 431, 451].includes(status)) return 'unclear';
  return isRefusal(exchange) ? 'refused' : 'accepted';
}

/** LEAD-04: of each lead that was taken, those that break the declared schema in one place are refused. */
export async function breakLeads(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 48, certify: 240 });
  const { declared, base } = session.form;
  const { problem, whole, unknownKeywords } = session.form.schema;
  if (problem !== null) return check.blocked(`the declared schema of a lead cannot be used: ${problem}`);
  if (declared === null) return check.notApplicable('no document declares a request schema for creating a lead');
  if (whole === true || bundledPairs(whole, base).length === 0)
    return check.notApplicable('the declared schema of a lead forbids nothing');
  blockUnlessTaken(check, await session.plain());
  const [lenient, unclear]: [string[], string[]] = [[], []];
  const leftOut = new Set<string>();
  let sent = 0;
  const judge = async (pair: MinimalPair, kind: string | null): Promise<Finding | null> => {
    const exchange = await session.post(await freshBreach(session, pair));
    const grade = gradeRefusal(exchange);
    sent += 1;
    if (grade === 'unclear') unclear.push(`${pair.id.trim()} (${String(exchange.response?.status ?? 0)})`);
    const isLenient = grade === 'accepted' && pair.force === 'annotation';
    if (isLenient) lenient.push(pair.id.trim());
    if (isLenient || (grade !== 'accepted' && grade !== 'broken')) return null;
    if (kind === null && !(await stands(check, session, pair, grade))) return null;
    const isSoft = kind === null && (await leavesOut(check, session, pair, exchange));
    // One warning a member says enough.
    if (isSoft && leftOut.has(pair.pointer)) return null;
    if (isSoft) leftOut.add(pair.pointer);
    const breach = {
      code: 'invalid-taken',
      field: pair.description,
      expected: `4xx for a lead that breaks the declared schema in one place: ${pair.description}`,
      actual: `${describe(exchange)} for ${visibleJson(pair.invalid)}`,
      exchanges: [exchange],
      part: 'status' as const,
    };
    return { kind: `${grade} ${grade === 'broken' ? failureKind(exchange) : ''} ${pair.id}`, isSoft, breach };
  };
  const pairs =
    check.run.path === null ? (await takenExamples(session)).flatMap((lead) => bundledPairs(whole, lead)) : [];
  const { holds, untried } = await judgeLeads(check, session, {
    cases: [...new Map(pairs.reverse().map((pair) => [pair.id, pair])).values()]
      .reverse()
      .sort((a, b) => a.rank - b.rank),
    reserve: check.run.depth === 'gate' ? 8 : 60,
    draw: fc.tuple(arbitraryOf(session.form), fc.nat({ max: 9999 })),
    runs: () => Math.max(2, Math.min(60, Math.floor(session.left / 2))),
    of: async ([one, draw]) => {
      // Shrinking has requests of its own.
      if (session.left <= -38) return [];
      const lead = await fresh(session, one.lead);
      const own = bundledPairs(whole, lead).filter((pair) => pair.force === 'assertion');
      const pair = own[draw % Math.max(1, own.length)];
      return pair !== undefined && isSuccess(await session.post(lead)) ? [pair] : [];
    },
    judge,
  });
  observeUntried(
    check,
    'breaches of the declared schema',
    untried.map(({ id }) => id),
  );
  for (const [question, names] of [
    ['Which declared formats are not enforced?', lenient],
    ['Which breaches were refused, but perhaps for another reason?', unclear],
    ['Which keywords of the declared schema are not understood?', unknownKeywords],
  ] as const)
    if (names.length > 0) check.observe(question, names.slice(0, 12).join('; '));
  if (!holds || sent > lenient.length) return;
  if (lenient.length > 0 && untried.length === 0)
    return check.notApplicable('the declared schema of a lead forbids nothing but by formats, which need not bind');
  return check.blocked('no breach of the declared schema could be tried: allow more --requests');
}

/** Valid leads that the service takes: the fullest first, the smallest always. */
async function takenExamples(session: LeadSession): Promise<readonly Lead[]> {
  const { form } = session;
  const full = fullLead(form);
  const [widest = full] = sampleLeads(form.schema, 40)
    .map((sample) => ({ ...sample, ...full }))
    .filter((lead) => form.schema.allows(lead))
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length);
  const shapeOf = (lead: Lead): string => Object.keys(lead).sort().join();
  const leads = new Map([widest, full, form.base].map((lead) => [shapeOf(lead), lead]));
  const taken: Lead[] = [];
  for (const lead of leads.values())
    if (lead === form.base || isSuccess(await session.post(await fresh(session, lead)))) taken.push(lead);
  return taken;
}

function fresh(session: Pick<LeadSession, 'withUniqueFields'>, lead: Lead): Promise<Lead> {
  return session.withUniqueFields({ lead, field: 'pair', label: 'pair', strength: 'must' });
}

/** The broken body of a pair with a fresh name, phone and vehicle, so that no answer can come from an earlier lead; verified to be still broken so. */
async function freshBreach(session: LeadSession, { invalid, valid }: MinimalPair): Promise<unknown> {
  if (!isRecord(invalid) || !isRecord(valid)) return invalid;
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

/** Whether a breach that was answered so is answered so again, and the lead without it is taken. */
async function stands(check: Check, session: LeadSession, pair: MinimalPair, grade: Grade): Promise<boolean> {
  const { served, pinned } = await check.contract();
  const allows = (document: typeof served): boolean =>
    createContract(document).validateRequest('POST', paths.leads, pair.invalid).length === 0;
  // A service may accept more than a pinned document declares.
  if (grade === 'accepted' && served !== null && pinned !== null && allows(served)) return false;
  const again = async (): Promise<Exchange | null> => {
    const exchange = await session.post(await freshBreach(session, pair));
    return gradeRefusal(exchange) === grade ? exchange : null;
  };
  return (await confirm(1, async () => session.post(await fresh(session, pair.valid as Lead)), again)) === 'breach';
}

/** Whether an accepted lead was created without the blanks or the line end that break it, or without its broken member, which is optional: nothing shows it, so nothing invalid was taken. */
async function leavesOut(check: Check, session: LeadSession, pair: MinimalPair, exchange: Exchange): Promise<boolean> {
  const { value } = pair;
  if (typeof value === 'string' && value.trim() !== value && value.trim() === at(pair.valid, pair.pointer))
    return !JSON.stringify(await recordsOf(check, exchange)).includes(JSON.stringify(value));
  const rest = withoutBroken(pair, pair.valid, session.form.schema.allows);
  if (!isSuccess(exchange) || rest === null) return false;
  // The vehicle may have been sold since; another try draws another one.
  const first = await session.post(await fresh(session, rest));
  const bare = isSuccess(first) ? first : await session.post(await fresh(session, rest));
  return isLeftOut(pair, await recordsOf(check, exchange), isSuccess(bare) ? await recordsOf(check, bare) : []);
}

/** A lead as every declared operation shows it that can name it. */
async function recordsOf(check: Check, made: Exchange): Promise<readonly unknown[]> {
  const id = idIn(made);
  const listed = id === null ? [] : ((await listLeads(check))?.items ?? []);
  const shown = (await shownIn(check, made)).map((one) => recordIn(one));
  return [...shown, ...listed.filter((item) => recordId(item) === id)];
}
