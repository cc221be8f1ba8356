import { isFailureEnvelope, isSuccess } from '../api/envelope.js';
import { paths } from '../api/paths.js';
import type { Exchange, HeaderLine } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { hostileBodies, type HostileBody } from './hostile.js';
import { accepted, openDesk } from './lead-desk.js';
import { visibleJson } from './visible-json.js';

const timeoutMs = 10_000;

/** LEAD-05: whatever bytes come in, the answer is an envelope below 500, and the service goes on answering. */
export async function judgeSurvival(check: Check): Promise<void> {
  const desk = await openDesk(check, 'LEAD-05');
  const plain = await desk.plain();
  if (plain.response === null) return check.blocked(`a plain lead got no answer: ${describe(plain)}`);
  const { base } = desk.maker;
  const seed = { name: 'Conformance hostile', phone: String(base['phone']), vehicleId: String(base['vehicleId']) };
  const bodies = hostileBodies(seed, check.run.depth === 'certify');
  const untried: string[] = [];
  for (const [at, body] of bodies.entries()) {
    if (check.breaches.length >= 12 || desk.left <= 2) {
      untried.push(...bodies.slice(at).map((rest) => rest.name));
      break;
    }
    const exchange = await throwAt(check, body);
    const wrong = fault(exchange);
    if (wrong !== null && (await repeats(check, body, exchange))) tell(check, body, exchange, wrong);
    const ends = bodies[at + 1]?.group !== body.group;
    if ((ends || exchange.response === null) && !(await answers(check, body, exchange))) return;
  }
  if (untried.length > 0)
    check.observe(
      'Which malformed bodies were not tried within the limit on requests?',
      `${String(untried.length)}: ${untried.slice(0, 20).join('; ')}`,
    );
  const after = await desk.plain();
  if (accepted(plain) && !accepted(after) && !accepted(await desk.plain())) {
    check.breach({
      expected: 'plain leads to be taken as before the hostile bodies',
      actual: describe(after),
      exchanges: [plain, after],
    });
  }
}

function throwAt(check: Check, body: HostileBody, slowly = false): Promise<Exchange> {
  const headers: HeaderLine[] = [['idempotency-key', check.fresh('hostile')]];
  if (body.contentType !== null) headers.push(['content-type', body.contentType]);
  return check.send({ method: 'POST', path: paths.leads, body: body.bytes, headers, timeoutMs, slowly });
}

/** Why the answer is a breach, or null. */
function fault(exchange: Exchange): string | null {
  if (exchange.response === null) {
    return exchange.failure?.kind === 'timeout' ? 'it hung' : `it got no answer (${exchange.failure?.message ?? ''})`;
  }
  if (exchange.response.status >= 500) return 'a server error';
  return isSuccess(exchange) || isFailureEnvelope(exchange) ? null : 'no envelope';
}

/**
 * Whether the same body fails again. A service that refuses a large body and closes while it is still being sent may
 * lose its own answer on the way, and so may a network: such a body gets two more tries, the second so slow that an early answer comes through.
 */
async function repeats(check: Check, body: HostileBody, first: Exchange): Promise<boolean> {
  const lost = first.failure?.kind === 'reset' || (first.response === null && body.large);
  const tries = lost ? 2 : first.response === null || first.response.status === 503 ? 1 : 0;
  for (let round = 0; round < tries; round += 1) {
    // A read in between tells a closed connection from a service that is gone.
    await check.send({ path: paths.units, query: [['limit', '1']], timeoutMs });
    if (fault(await throwAt(check, body, round > 0)) === null) return false;
  }
  return true;
}

function tell(check: Check, body: HostileBody, exchange: Exchange, wrong: string): void {
  const start = visibleJson(body.bytes.subarray(0, 60).toString('latin1'), 120);
  const type = body.contentType === null ? 'without a content type' : `as ${body.contentType}`;
  const said =
    exchange.response === null ? '' : `: ${visibleJson(exchange.response.json ?? exchange.response.text, 160)}`;
  check.breach({
    expected: `a failure envelope or a success for ${body.name}`,
    actual: `${wrong}: ${describe(exchange)} for ${String(body.bytes.length)} bytes ${type} starting ${start}${said}`,
    exchanges: [exchange],
  });
}

/** Whether a plain read is still answered, and shows nothing that a hostile body planted. */
async function answers(check: Check, body: HostileBody, last: Exchange): Promise<boolean> {
  const down = (how: string, exchanges: readonly Exchange[]): false => {
    check.breach({ expected: `the service to answer after ${body.name}`, actual: how, exchanges });
    return false;
  };
  const read = await check.send({ path: paths.units, query: [['limit', '1']], timeoutMs });
  const status = read.response?.status ?? 0;
  if (read.response === null) return down(`${describe(read)}: ${read.failure?.message ?? ''}`, [last, read]);
  if (status >= 500) return down(describe(read), [last, read]);
  if (body.group === 'keys' && read.response.text?.includes('"polluted"'))
    return down('a key planted through the prototype shows in other answers', [last, read]);
  return true;
}
