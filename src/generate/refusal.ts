import { isRefusal } from '../api/envelope.js';
import fc from 'fast-check';
import type { Exchange } from '../http/exchange.js';
import { BlockedSignal } from '../http/signals.js';
import { describe, type Check } from '../run/check.js';
import { seedFor } from '../run/random.js';
import { shrinkBudget } from './acceptance.js';
import { coverageOf, coverageText } from './coverage.js';
import { failureKind } from './failure-kind.js';
import { accepted, openDesk, type LeadDesk } from './lead-desk.js';
import { sampleLeads, type Lead } from './lead-schema.js';
import { arbitraryOf, fullLead } from './leads.js';
import { bundledPairs, type MinimalPair } from './minimal-pairs.js';
import { isRecord } from './schema.js';
import { judgeOf } from './validity.js';
import { visibleJson } from './visible-json.js';

/** What the answer to a lead in breach of the schema says of the service. */
export type Grade = 'refused' | 'accepted' | 'broken' | 'unclear';

/** Grades the answer: only a 4xx that speaks of the input, or `ok: false` with a 2xx status, is a refusal for the right reason. */
export function gradeRefusal(exchange: Exchange): Grade {
  const status = exchange.response?.status ?? 0;
  if (status >= 500 || status === 0) return 'broken';
  if ([401, 403, 404, 405, 407, 408, 409, 423, 425, 426, 428, 429, 431, 451].includes(status)) return 'unclear';
  return isRefusal(exchange) ? 'refused' : 'accepted';
}

/** LEAD-04: what breaks the declared schema in one place is refused, while the same lead without the breach is taken. */
export async function judgeRefusals(check: Check): Promise<void> {
  const desk = await openDesk(check, 'LEAD-04');
  const { schema } = desk.maker;
  if (schema.problem !== null) return check.blocked(`the declared schema of a lead cannot be used: ${schema.problem}`);
  if (desk.declared === null) return check.notApplicable('no document declares a request schema for creating a lead');
  if (schema.whole === true || bundledPairs(schema.whole, desk.maker.base).length === 0) {
    return check.notApplicable('the declared schema of a lead forbids nothing');
  }
  const plain = await desk.plain();
  if (!accepted(plain)) return check.blocked(`a plain lead is not taken (see LEAD-01): ${describe(plain)}`);
  let judged = 0;
  if (check.run.path === null) {
    const untouched = await takenExamples(desk);
    const reached = await tryPairs(check, desk, untouched);
    report(check, desk, reached, untouched);
    if (check.breaches.some((one) => !one.soft)) return;
    judged = reached.tried.length - reached.lenient.length;
    if (judged === 0 && reached.lenient.length > 0 && reached.untried.length === 0)
      return check.notApplicable('the declared schema of a lead forbids nothing but by formats, which need not bind');
  }
  judged += await searchAccepted(check, desk);
  if (judged === 0 && check.breaches.length === 0)
    return check.blocked('no breach of the declared schema could be tried: allow more --requests');
}

/** Valid leads that the service takes: the fullest first, the smallest always. */
async function takenExamples(desk: LeadDesk): Promise<readonly Lead[]> {
  const { maker } = desk;
  const wide = [...sampleLeads(maker.schema, 40)]
    .map((sample) => ({ ...sample, ...fullLead(maker) }))
    .filter((lead) => maker.schema.allows(lead))
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length)
    .slice(0, 1);
  const taken: Lead[] = [];
  const seen = new Set<string>([Object.keys(maker.base).sort().join()]);
  for (const lead of [...wide, fullLead(maker)]) {
    const shape = Object.keys(lead).sort().join();
    if (seen.has(shape)) continue;
    seen.add(shape);
    if (accepted(await desk.post(await fresh(desk, lead)))) taken.push(lead);
  }
  return [...taken, maker.base];
}

function fresh(desk: LeadDesk, lead: Lead): Promise<Lead> {
  return desk.freshen({ lead, field: 'pair', label: 'pair', strength: 'must' });
}

/** The pair's broken body with a name, a phone and a vehicle of its own, so that no answer can come from an earlier lead; proven again. */
export async function freshBreach(desk: Pick<LeadDesk, 'freshen' | 'maker'>, pair: MinimalPair): Promise<unknown> {
  const { invalid } = pair;
  if (!isRecord(invalid)) return invalid;
  const valid = pair.valid as Lead;
  const fresh = await desk.freshen({ lead: valid, field: 'pair', label: 'pair', strength: 'must' });
  const moved = { ...invalid };
  for (const field of ['name', 'phone', 'vehicleId'])
    if (typeof invalid[field] === 'string' && invalid[field] === valid[field]) moved[field] = fresh[field];
  const judge = judgeOf(desk.maker.schema.whole);
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
}

async function tryPairs(check: Check, desk: LeadDesk, untouched: readonly Lead[]): Promise<Reached> {
  const pairs = new Map<string, MinimalPair>();
  for (const lead of untouched)
    for (const pair of bundledPairs(desk.maker.schema.whole, lead)) if (!pairs.has(pair.id)) pairs.set(pair.id, pair);
  const ordered = [...pairs.values()].sort((a, b) => a.rank - b.rank);
  const reserve = check.run.depth === 'gate' ? 8 : 60;
  const tried: MinimalPair[] = [];
  const unclear: string[] = [];
  const lenient: string[] = [];
  let told = 0;
  for (const [at, pair] of ordered.entries()) {
    if (desk.left <= reserve || told >= 12)
      return { tried, untried: ordered.slice(at).map((rest) => rest.id), unclear, lenient };
    const exchange = await desk.post(await freshBreach(desk, pair));
    tried.push(pair);
    const grade = gradeRefusal(exchange);
    if (grade === 'unclear' || wrongField(exchange, pair, desk))
      unclear.push(`${pair.id.trim()} (${String(exchange.response?.status ?? 0)})`);
    if (grade === 'accepted' && pair.force === 'annotation') lenient.push(pair.id.trim());
    else if ((grade === 'accepted' || grade === 'broken') && (await stands(desk, pair, grade))) {
      told += 1;
      tell(check, pair, exchange);
    }
  }
  if (lenient.length > 0) check.observe('Which declared formats are not enforced?', lenient.join('; '));
  return { tried, untried: [], unclear, lenient };
}

/** Whether the verdict holds on a second try, with the untouched lead taken in between. */
async function stands(desk: LeadDesk, pair: MinimalPair, grade: Grade): Promise<boolean> {
  const untouched = await desk.post(await fresh(desk, pair.valid as Lead));
  if (!accepted(untouched)) return grade === 'broken' && (untouched.response?.status ?? 500) >= 500;
  const again = await desk.post(await freshBreach(desk, pair));
  return gradeRefusal(again) === grade;
}

/** The answer names another declared field and not the broken one. */
function wrongField(exchange: Exchange, pair: MinimalPair, desk: LeadDesk): boolean {
  const said = JSON.stringify(exchange.response?.json ?? '');
  const own = pair.pointer.split('/')[1] ?? pair.id.split(' ').at(-1) ?? '';
  const others = [...desk.maker.schema.properties.keys()].filter((name) => name !== own);
  return (
    gradeRefusal(exchange) === 'refused' && !said.includes(own) && others.some((name) => said.includes(`"${name}"`))
  );
}

function tell(check: Check, pair: MinimalPair, exchange: Exchange, path?: string): void {
  check.breach({
    expected: `4xx for a lead that breaks the declared schema in one place: ${pair.description}`,
    actual: `${describe(exchange)} for ${visibleJson(pair.invalid)}`,
    exchanges: [exchange],
    ...(path === undefined ? {} : { path }),
  });
}

function report(check: Check, desk: LeadDesk, reached: Reached, untouched: readonly Lead[]): void {
  const parts = [
    `${String(reached.tried.length)} breaches tried: ${coverageText(coverageOf(desk.maker.schema.whole, untouched, reached.tried))}`,
  ];
  if (reached.untried.length > 0)
    parts.push(`not tried within the limit on requests: ${reached.untried.slice(0, 12).join('; ')}`);
  if (reached.unclear.length > 0)
    parts.push(`refused, but perhaps for another reason: ${reached.unclear.slice(0, 12).join('; ')}`);
  if (desk.maker.schema.unknownKeywords.length > 0)
    parts.push(`not understood: ${desk.maker.schema.unknownKeywords.join(', ')}`);
  check.observe('Which declared keywords were broken one at a time?', parts.join('. '));
}

/** Random leads with one breach each; how many breaches were sent. */
async function searchAccepted(check: Check, desk: LeadDesk): Promise<number> {
  const { path } = check.run;
  const whole = desk.maker.schema.whole;
  let kind: string | null = null;
  let shrinking = 0;
  let sent = 0;
  let failed: { pair: MinimalPair; exchange: Exchange } | null = null;
  const drawn = fc.tuple(arbitraryOf(desk.maker), fc.nat({ max: 9999 }));
  const property = fc.asyncProperty(drawn, async ([one, draw]) => {
    if (desk.left <= 2 - shrinkBudget) return true;
    if (kind !== null && (shrinking += 2) > shrinkBudget) return true;
    const lead = await fresh(desk, one.lead);
    const pairs = bundledPairs(whole, lead).filter((pair) => pair.force === 'assertion');
    const pair = pairs[draw % Math.max(1, pairs.length)];
    if (!pair || !accepted(await desk.post(lead))) return true;
    sent += 1;
    const exchange = await desk.post(await freshBreach(desk, pair));
    const grade = gradeRefusal(exchange);
    const seen = `${grade} ${grade === 'broken' ? failureKind(exchange) : ''} ${pair.id}`;
    if ((grade !== 'accepted' && grade !== 'broken') || (kind !== null && seen !== kind)) return true;
    if (kind === null && !(await stands(desk, pair, grade))) return true;
    kind = seen;
    failed = { pair, exchange };
    return false;
  });
  const replay = path === null ? {} : { path, endOnFailure: true };
  const runs = Math.max(2, Math.min(60, Math.floor(desk.left / 2)));
  const result = await fc.check(property, {
    seed: seedFor(check.run.seed, 'LEAD-04') | 0,
    numRuns: path === null ? runs : 1,
    ...replay,
  });
  if (result.errorInstance instanceof BlockedSignal) throw result.errorInstance;
  const found = failed as { pair: MinimalPair; exchange: Exchange } | null;
  if (result.failed && found) tell(check, found.pair, found.exchange, result.counterexamplePath ?? undefined);
  else if (result.failed)
    throw new Error('the search for wrongly accepted leads failed', { cause: result.errorInstance });
  return sent;
}
