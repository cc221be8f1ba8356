import { plainLead } from '../../api/index.js';
import { asObject, idOf, itemsIn, paths } from '../../service/index.js';
import { blockSize } from '../../ratelimit/index.js';
import { type Check, uuidFor } from '../../run/index.js';
import type { KeyName } from '../../settings/index.js';
import { runSteps, type Mutex } from './run-steps.js';
import type { RequestShape } from '../engine/connection.js';
import type { LimitSubject } from '../limit-traces.js';
import { burstCount } from './scenario.js';
import { costOf, type Cost, type Step } from './steps.js';
import { basePath, type PlanSession } from './plan-session.js';

/** Number of creates sent while a limit is spent: a service that counts them accepts none. */
const creates = 6;

/** Number of reads that spends every limit, in whole blocks. */
const spentCount = (limits: LimitSubject['limits']): number => blockSize * Math.ceil(burstCount(limits) / blockSize);

function writesStep(limits: LimitSubject['limits']): Step {
  const count = spentCount(limits) + blockSize * creates;
  return { kind: 'fast', scenario: 'probe', count, connections: Math.min(64, count) };
}

/** The cost that the creates add to a plan. */
export const writesCost = (limits: LimitSubject['limits']): Cost => costOf([writesStep(limits)]);

/** Bodies of leads for each plan, in JSON; none where nothing may be written, or no key is there to find a unit with. */
export async function createBodies(check: Check): Promise<readonly string[]> {
  const { readOnly, keys } = check.target;
  if (readOnly || keys.API_KEY === undefined) return [];
  const bodies: string[] = [];
  while (bodies.length < creates) bodies.push(JSON.stringify(await plainLead(check)));
  return bodies;
}

/** The leads for a unit that the plan's own key lists, where it lists one: a plan may have a tenant of its own. */
async function forOwnUnit(
  check: Check,
  keyName: KeyName,
  tenant: string | null,
  bodies: readonly string[],
): Promise<readonly string[]> {
  const query = [['limit', '1']] as const;
  const exchange = await check.send({ path: paths.units, query, as: keyName, tenant, raw: true });
  const id = idOf(itemsIn(exchange)?.[0]);
  return id === null ? bodies : bodies.map((body) => JSON.stringify({ ...asObject(JSON.parse(body)), vehicleId: id }));
}

/** Spends the limits of a plan once more, and tries a few creates at random places among reads that are then refused. */
export async function sendWrites(
  check: Check,
  session: PlanSession,
  bodies: readonly string[],
  mutex: Mutex,
): Promise<void> {
  const { trace, template } = session;
  const { subject } = trace;
  if (subject.keyName === null || bodies.length === 0) return;
  const spent = spentCount(subject.limits);
  const tenant = template.shapeOf?.(0).headers['x-tenant'] ?? null;
  const leads = await forOwnUnit(check, subject.keyName, tenant, bodies);
  const required = await check.required({ method: 'POST', path: paths.leads });
  const places = new Map(
    leads.map((body, at) => {
      const place = parseInt(uuidFor(String(check.run.seed), `create ${at}`).slice(0, 6), 16) % blockSize;
      return [spent + at * blockSize + place, body] as const;
    }),
  );
  const keys = new Map([...places.keys()].map((place) => [place, check.fresh('idempotency key')]));
  const shapeOf = (index: number): RequestShape => {
    const read = template.shapeOf?.(index) ?? { method: 'GET', headers: template.headers };
    const body = places.get(index);
    if (body === undefined) return read;
    const headers = {
      ...read.headers,
      ...Object.fromEntries(required.headers),
      'content-type': 'application/json',
      'idempotency-key': keys.get(index) ?? '',
    };
    const query = new URLSearchParams(Object.fromEntries(required.query)).toString();
    return { method: 'POST', path: `${basePath(subject)}${paths.leads}${query && `?${query}`}`, headers, body };
  };
  const conducted = await runSteps([writesStep(subject.limits)], { ...template, shapeOf }, mutex);
  const records = conducted.records.map((record) =>
    places.has(record.index) ? { ...record, asked: 'create' as const } : record,
  );
  session.trace = { ...trace, writes: { ...conducted, records } };
}
