import { vehiclesFor } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import { follow } from '../openapi/index.js';
import { type Row, row } from '../requirement/index.js';
import { type Check, describe, matcher } from '../run/index.js';
import { isRefusal, isSuccess, mayMean, paths, quote } from '../service/index.js';
import { judgeCount, removeUnits } from './count.js';
import { judgeLog, judgeStored } from './judge-log.js';
import { identityOf } from './lead-answer.js';
import { unitBodies } from './lead-body.js';
import { type Command, play, type PlannedCreate, sendPlanned } from './plan.js';
import { type Entry, RequestLog } from './request-log.js';

/** How a plan is carried out and judged. */
interface PlanOptions {
  /** How often in a gate and beyond it, each time with keys of its own; one success at least goes on. Unless given, the keys are those of the other plans. */
  readonly rounds?: Depths;
  /** Whether it is played at all. */
  readonly when?: (log: RequestLog) => boolean;
  /** Where this fails as well, the plan proves nothing: another requirement says so. */
  readonly control?: { readonly plan: readonly Command[]; readonly see: string };
  /** Observes the answers. */
  readonly tell?: (check: Check, entries: readonly Entry[]) => void;
}

/** One value for a gate, another one beyond it. */
export type Depths<T = number> = readonly [gate: T, certify: T];

export const byDepth = <T>({ run }: Check, [gate, certify]: Depths<T>): T => (run.depth === 'gate' ? gate : certify);

/**
 * Creates in words and as data, judged by the model of keys, by what replays show, and by the records that are left. After a breach, the
 * further plans of the same log are left out.
 */
export function keyPlan(
  says: string,
  plan: readonly Command[] | ((check: Check, round: number) => readonly Command[]),
  options: PlanOptions = {},
): Row<RequestLog> {
  const { rounds, when, control, tell } = options;
  return row(says, async (check, log) => {
    if (!log.holds || when?.(log) === false) return;
    for (let round = 0; round < (rounds === undefined ? 1 : byDepth(check, rounds)); round += 1) {
      const commands = typeof plan === 'function' ? plan(check, round) : plan;
      if (commands.flat().some(({ route }) => route === 'units') && (await unitBodies(check)) === null) return;
      log.holds = false;
      const entries = await play(log, commands, rounds === undefined ? '' : `${says} ${round}`, [says, round]);
      if (control !== undefined && log.anomaly() !== null && (await breaksAnew(log, control.plan))) {
        check.observe(`Could this be judged: ${says}?`, `no: the same fails without it (see ${control.see})`);
        return;
      }
      log.holds = (await judgeLog(log, entries)) && (await judgeStored(log, entries));
      tell?.(check, entries);
      // Another place than the usual one may not be open to creates.
      const isOpen = entries.some(({ exchange, party }) => isSuccess(exchange) || party.sender !== 'home');
      if (!log.holds || !isOpen) return;
    }
  });
}

/** Whether no order of the creates of a plan, with keys of its own, explains their answers. */
export async function breaksAnew({ check, traits }: RequestLog, plan: readonly Command[]): Promise<boolean> {
  const log = new RequestLog(check, traits);
  await play(log, plan);
  return log.anomaly() !== null;
}

/** What was made under each key, counted in the declared lists, and taken away again. Where one record alone is missing, `again` tells whether somebody deleted that one. */
export const countedRecords = (again?: (check: Check) => readonly Command[]): Row<RequestLog> =>
  row('the declared lists show one record for each key that made one', async (check, log) => {
    if (log.holds && (await judgeCount(log)) === 1 && again !== undefined) {
      await play(log, again(check));
      await judgeCount(log);
    }
    await removeUnits(log);
  });

/** Observes how the creates of a plan are answered, but for the first body. */
export const tellAnswers =
  (question: string) =>
  (check: Check, entries: readonly Entry[]): void => {
    const told = entries.filter(({ body }) => body.label !== entries[0]?.body.label);
    const said = told.map(({ body, exchange }) => `${body.route}: ${describe(exchange)}`);
    check.observe(question, [...new Set(said)].join('; '));
  };

const draft = 'draft-ietf-httpapi-idempotency-key-header-07';

/** Statuses that say something else of a request than that its key is in use (RFC 9110 §15.5, RFC 6585). */
const saysOtherwise = matcher<Exchange>(
  'misleading-status',
  'a refusal of a used key not to speak of credentials, paths, methods or limits (RFC 9110 §15.5, RFC 6585)',
  (exchange) => !mayMean(exchange, 401, 403, 404, 405, 429),
  describe,
);

/** Refusals for a key say that it is used; observes whether they have the statuses of the draft. */
export const keyRefusals = (what: string, plan: readonly Command[], statuses: readonly number[]): Row<RequestLog> =>
  row(`a refusal of ${what} speaks of nothing else`, async (check, log) => {
    const answers = (await play(log, plan)).map(({ exchange }) => exchange);
    const refusals = answers.filter(isRefusal);
    if (answers.some(isSuccess)) refusals.every((one) => check.expect(answers, saysOtherwise, one));
    check.observe(
      `How is ${what} answered (${draft}, section 2.7: ${statuses.join(' or ')})?`,
      refusals.length === 0 ? 'never refused' : [...new Set(refusals.map(describe))].join(', '),
    );
  });

/** A lead that has something in common with the first one should be a lead of its own: a service may merge or refuse it, whatever their keys are. */
export const mergedLeads = (field: string, create: PlannedCreate): Row<RequestLog> =>
  row(`leads with different keys and the same ${field} are two leads (recommended)`, async (check, log) => {
    const first = log.entries.find(({ exchange }) => isSuccess(exchange))?.exchange;
    // If a vehicle takes one lead at a time, the vehicle is the reason for the refusal of an equal lead.
    if (!log.holds || first === undefined || (field === 'content' && (await vehiclesFor(check)).exclusive)) return;
    const alike = await sendPlanned(log, { ...create, of: 0, times: 1 });
    const [one, two] = [identityOf(first), identityOf(alike)];
    if (isSuccess(alike) && !(log.traits.shows === 'id' && one !== null && one === two)) return;
    check.warn({
      code: 'alike-merged',
      field,
      expected: `two leads with different keys and the same ${field} to be two leads`,
      actual: isSuccess(alike) ? `both show lead ${quote(one)}` : `the second is refused: ${describe(alike)}`,
      exchanges: [first, alike],
    });
  });

/** A warning for UUIDs that are refused as keys, unless the document declares a pattern: the specification says no more than "UUID". */
export async function warnOfRefusedKeys(check: Check, log: RequestLog): Promise<void> {
  const refused = log.entries.filter(
    ({ form, says, exchange }) => form !== 'usual' && says !== 'something' && isRefusal(exchange),
  );
  const [one] = refused;
  if (!log.holds || one === undefined) return;
  if (/"(pattern|\$ref)":/.test(JSON.stringify((await keyDeclaration(check)) ?? null))) return;
  // Under a usual key the lead is taken.
  const usual = await log.settle({ ...one, key: check.fresh('usual key'), form: 'usual' });
  if (!isSuccess(usual)) return;
  check.warn({
    code: 'uuid-refused',
    expected: 'a UUID of any version and case to be accepted as a key',
    actual: `refused are keys such as ${refused.map(({ key }) => key).join(' and ')}`,
    exchanges: [one.exchange, usual],
  });
}

/** How the document declares the idempotency key of a lead: a parameter with the format of its schema. */
export async function keyDeclaration(
  check: Check,
): Promise<{ readonly node: unknown; readonly format: unknown } | undefined> {
  const { contract } = await check.contract();
  const { parameters = [] } = contract.operation('POST', paths.leads) ?? {};
  const declared = parameters.find(({ name }) => /^idempotency-key$/i.test(name));
  return (
    declared && { node: declared.node, format: follow(contract.document, declared.node['schema'], '')?.node['format'] }
  );
}
