import type { Operation } from '../openapi/index.js';
import { type Exchange, percentEncode } from '../http/index.js';
import type { Check } from '../run/index.js';
import { asObject, idOf, itemsIn, paths, readPage, settled } from '../service/index.js';
import { someUnitIds } from './units/known-units.js';

/** Whether the path goes on below the path of a single record: `/api/v1/units/{id}/photos`. */
const belowRecord = /^\/api\/v1\/(unit|deal|lead)s\/\{[^{}]+\}\/[^{}]+$/;

/** An id that exists for the item operations of a role, or null; `now` where one that was known earlier may be gone. */
async function knownId(check: Check, { role: own, fullTemplate }: Operation, now: boolean): Promise<string | null> {
  const role = belowRecord.exec(fullTemplate)?.[1] ?? own;
  if (role === 'unit' && now)
    return (await readPage(check, { limit: 50 })).items?.map(idOf).find((id) => id !== null) ?? null;
  if (role === 'unit') return (await someUnitIds(check, 1))[0] ?? null;
  if (role === 'deal')
    return (itemsIn(await check.send({ path: paths.deals })) ?? []).map(idOf).find((id) => id !== null) ?? null;
  if (role === 'lead') {
    const page = await readPage(check, { path: paths.leads });
    return page.items?.map(idOf).find((id) => id !== null) ?? null;
  }
  return null;
}

/** A GET of the versioned API without required parameters or its own server, not marked as planned or deprecated. */
function isPlainRead({ method, template, fullTemplate, parameters, operation, pathItem }: Operation): boolean {
  const marked = [operation, pathItem].some((one) =>
    Object.keys(one).some((name) => /^(servers|deprecated|x-.*(status|planned|stability|lifecycle).*)$/i.test(name)),
  );
  const answers = Object.keys(asObject(operation['responses']) ?? {});
  return (
    method === 'GET' &&
    (/^\/api\/v1\/[^{}]+$/.test(fullTemplate) || belowRecord.test(fullTemplate)) &&
    /^(\/api)?\/v1\//.test(template) &&
    !parameters.some((one) => one.required && one.in !== 'path') &&
    !marked &&
    answers.some((status) => /^2/.test(status))
  );
}

/** A declared operation that was sent once, and whether the id in its path, if any, is known to exist. */
interface Attempt {
  readonly exchange: Exchange;
  readonly exists: boolean;
}

/** Sends a declared operation so that nothing is changed: reads plainly, writes with a body that is no JSON. Null where that cannot be done. */
async function safeAttempt(check: Check, operation: Operation, now = false): Promise<Attempt | null> {
  if (operation.role === 'planned' || operation.role === 'document') return null;
  if (operation.role === 'other' && !isPlainRead(operation)) return null;
  const parameters = operation.fullTemplate.match(/\{[^{}]+\}/g) ?? [];
  if (parameters.length > 1) return null;
  const id = parameters.length === 0 ? null : await knownId(check, operation, now);
  const made = check.fresh('declared');
  const reads = operation.method === 'GET' || operation.method === 'HEAD';
  if (!reads && check.target.readOnly) return null;
  // Deleting is tried on an id that nothing has, so that "no such method" and "no such record" differ.
  const value = operation.method === 'DELETE' ? made : (id ?? made);
  if (operation.method === 'DELETE' && parameters.length === 0) return null;
  const path = operation.fullTemplate.replace(/\{[^{}]+\}/, percentEncode(value));
  const surface = operation.role === 'demo' || operation.role === 'other' ? operation.role : 'production';
  const body =
    reads || operation.method === 'DELETE'
      ? {}
      : { body: Buffer.from('{"conformance":'), headers: [['content-type', 'application/json']] as const };
  const { tenant } = check.target;
  const caller = operation.role === 'other' ? { as: 'API_KEY' as const, tenant } : {};
  const exchange = await check.send({ method: operation.method, path, surface, ...body, ...caller });
  // On a path of the service's own, a declared 404 may say that there is nothing to show at present.
  const tells =
    operation.role !== 'other' || !/"(404|4xx|default)":/i.test(JSON.stringify(operation.operation['responses']));
  return { exchange, exists: (value !== made || parameters.length === 0) && tells };
}

/** Whether the answer says that the operation is not there. */
function isAbsent({ exchange, exists }: Attempt): boolean {
  const status = exchange.response?.status;
  return status === 405 || status === 501 || (status === 404 && exists);
}

/** The declared operations that are answered as if they were not there; null where none could be tried without an effect. */
export async function unservedOperations(
  check: Check,
): Promise<readonly { readonly operation: Operation; readonly exchange: Exchange }[] | null> {
  const { operations } = (await check.contract()).contract;
  const attempts = new Map<Operation, Attempt>();
  const attempt = (some: readonly Operation[], now: boolean): Promise<void> =>
    check.each(some, async (one) => {
      const made = await safeAttempt(check, one, now);
      if (made !== null) attempts.set(one, made);
    });
  const missing = (): Operation[] =>
    [...attempts].flatMap(([one, made]) => (made.exchange.response?.status === 404 && made.exists ? one : []));
  await attempt(operations, false);
  // A unit listed at the start may have been sold since, and a new one may appear a little later.
  const again = (): Promise<void> => attempt(missing(), true);
  if (missing().length > 0) await settled(check, again, () => missing().length === 0);
  if ([...attempts.values()].every(({ exchange }) => exchange.response === null)) return null;
  return operations.flatMap((operation) => {
    const made = attempts.get(operation);
    return made !== undefined && isAbsent(made) ? { operation, exchange: made.exchange } : [];
  });
}
