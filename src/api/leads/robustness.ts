import fc from 'fast-check';
import { isFailureEnvelope, isSuccess, mayMean, paths } from '../../service/index.js';
import { isRefusedByHttpServer } from '../refused-by-server.js';
import { plainLead } from './lead-factory.js';
import { type Exchange, type HeaderLine, looksAway } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { type FuzzBody, fuzzGroups, searchCounterexample, visibleJson } from '../../generators/index.js';
import { confirm, observeUntried, openLeadSession } from './lead-session.js';

const timeoutMs = 10_000;
const hung = 'it hung';

/** LEAD-05: whatever bytes come in, the answer is an envelope below 500, and the service goes on answering. */
export async function surviveBodies(check: Check): Promise<void> {
  const session = await openLeadSession(check, { gate: 88, certify: 140 });
  const plain = await session.plain();
  if (plain.response === null) return check.blocked(`a plain lead got no answer: ${describe(plain)}`);
  const untried: string[] = [];
  let reported = 0;
  let isDown = false;
  await check.each(fuzzGroups(check.run.depth === 'certify'), async (make) => {
    // A service may accept one lead for each unit, name or phone: a refusal proves something about the body only with fresh ones.
    let bodies = make(await plainLead(check));
    for (const at of bodies.keys()) {
      if (isDown) return;
      if (reported >= 12 || session.left <= 2) return void untried.push(...bodies.slice(at).map(({ name }) => name));
      let last = await throwAt(check, bodies[at] as FuzzBody);
      if (mayMean(last, 409)) {
        bodies = make(await plainLead(check));
        last = await throwAt(check, bodies[at] as FuzzBody);
      }
      const body = bodies[at] as FuzzBody;
      const found = await smallestFailure(check, body, last);
      if (found !== null) {
        reported += 1;
        report(check, found);
      }
      if (isSuccess(last)) bodies = make(await plainLead(check));
      const isChecked = at === bodies.length - 1 || last.response === null;
      if (isChecked && !(await answers(check, body, found?.exchange ?? last))) isDown = true;
    }
  });
  if (isDown) return;
  observeUntried(check, 'malformed bodies', untried);
  const after = await session.plain();
  if (isSuccess(plain) && !isSuccess(after) && !isSuccess(await session.plain()))
    check.fail({
      code: 'leads-refused-since',
      expected: 'plain leads to be accepted as before the hostile bodies',
      actual: describe(after),
      exchanges: [plain, after],
    });
}

/** A body that is answered in a way that it must not be; `kind` says how. */
interface Failure {
  readonly kind: string;
  readonly body: FuzzBody;
  readonly exchange: Exchange;
}

/** Requests that finding the smallest failing size may take. */
const shrinkRequests = 12;

/** The failure of a body that was answered so, and where it fails, that of the smallest one of its kind; null where it does not fail. */
async function smallestFailure(check: Check, body: FuzzBody, first: Exchange): Promise<Failure | null> {
  if (fault(first) === null) return null;
  const { size: whole = 1, ofSize = (): FuzzBody => body } = body;
  const judge = async (size: number, known: string | null): Promise<Failure | null> => {
    // Each further one would take as long.
    if (known === hung) return null;
    const tried = size === whole ? body : { ...ofSize(size), name: `${body.name}, cut to ${String(size)}` };
    const exchange = size === whole ? first : await throwAt(check, tried);
    const kind = fault(exchange);
    if (kind === null || (known === null && !(await repeats(check, tried, exchange)))) return null;
    return { kind, body: tried, exchange };
  };
  const sizes = fc.integer({ min: 1, max: whole });
  const budget = { runs: 1, shrinkRequests, examples: [whole] };
  return (await searchCounterexample(check, sizes, judge, budget))?.failure ?? null;
}

const oneUnit = { path: paths.units, query: [['limit', '1']], timeoutMs } as const;

function throwAt(check: Check, body: FuzzBody, slowly = false): Promise<Exchange> {
  const headers: HeaderLine[] = [['idempotency-key', check.fresh('hostile')]];
  if (body.contentType !== null) headers.push(['content-type', body.contentType]);
  return check.send({ method: 'POST', path: paths.leads, body: body.bytes, headers, timeoutMs, slowly });
}

/** Why the answer is a breach, or null. */
function fault(exchange: Exchange): string | null {
  if (exchange.response === null) {
    return exchange.failure?.kind === 'timeout' ? hung : `it got no answer (${exchange.failure?.message ?? ''})`;
  }
  if (exchange.response.status >= 500) return 'a server error';
  const isAnswered = isSuccess(exchange) || isFailureEnvelope(exchange) || isRefusedByHttpServer(exchange);
  return isAnswered ? null : 'no envelope';
}

/**
 * Whether the same body fails again. A service that refuses a large body and closes the connection early may lose its own answer on the
 * way. Such a body gets two more tries, the second one slow enough for an early answer to arrive.
 */
async function repeats(check: Check, body: FuzzBody, first: Exchange): Promise<boolean> {
  const lost = first.failure?.kind === 'reset' || (first.response === null && body.large);
  const tries = lost ? 2 : first.response === null || first.response.status === 503 ? 1 : 0;
  let slowly = false;
  const again = async (): Promise<Exchange | null> => {
    const answer = await throwAt(check, body, slowly);
    slowly = true;
    return fault(answer) === null ? null : answer;
  };
  // A read in between tells a closed connection from a service that is gone.
  return (await confirm(tries, () => check.send(oneUnit), again)) === 'breach';
}

function report(check: Check, { body, exchange, kind }: Failure): void {
  const start = visibleJson(body.bytes.subarray(0, 60).toString('latin1'), 120);
  const type = body.contentType === null ? 'without a content type' : `as ${body.contentType}`;
  const said =
    exchange.response === null ? '' : `: ${visibleJson(exchange.response.json ?? exchange.response.text, 160)}`;
  check.fail({
    code: 'no-envelope',
    field: body.name,
    expected: `a failure envelope or a success for ${body.name}`,
    actual: `${kind}: ${describe(exchange)} for ${String(body.bytes.length)} bytes ${type} starting ${start}${said}`,
    exchanges: [exchange],
    part: 'status',
  });
}

/** A plain read whose first answer counts, also that of a gateway: it is none of those that have to be of the service. */
const readAtOnce = (check: Check): Promise<Exchange> =>
  check.send({ ...oneUnit, surface: 'other', as: 'API_KEY', tenant: check.target.tenant, raw: true });

const isAway = ({ response, failure }: Exchange): boolean => looksAway({ status: response?.status ?? 0, failure });

/** Whether a plain read is still answered, and shows nothing that a hostile body planted. */
async function answers(check: Check, body: FuzzBody, last: Exchange): Promise<boolean> {
  const down = (how: string, exchanges: readonly Exchange[]): false =>
    check.fail({
      code: 'silent-since',
      field: body.name,
      expected: `the service to answer after ${body.name}`,
      actual: how,
      exchanges,
    });
  let read = await readAtOnce(check);
  if (isAway(read)) {
    const seen: Exchange[] = [];
    const again = async (): Promise<Exchange | null> => {
      const before = await readAtOnce(check);
      seen.push(await throwAt(check, body), await readAtOnce(check));
      return !isAway(before) && isAway(seen.at(-1) ?? before) ? before : null;
    };
    // It has to be there right before.
    if ((await confirm(3, () => check.send(oneUnit), again)) === 'breach')
      return down(`${seen.filter(isAway).map(describe).join(', ')}: each right after that body`, seen);
  }
  if (isAway(read) || read.response?.status === 429) read = await check.send(oneUnit);
  const status = read.response?.status ?? 0;
  if (read.response === null) return down(`${describe(read)}: ${read.failure?.message ?? ''}`, [last, read]);
  if (status >= 500) return down(describe(read), [last, read]);
  if (body.group === 'keys' && read.response.text?.includes('"polluted"'))
    return down('a key planted through the prototype shows in other answers', [last, read]);
  return true;
}
