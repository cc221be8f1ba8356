import { asList, asObject, type Operation, operationsOf } from '../openapi/index.js';
import { type Exchange, percentEncode } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import { idOf, isSuccess, paths, readPage, settled } from '../service/index.js';
import { someUnitIds } from './units/known-units.js';

/** Whether the path goes on below the path of a single record: `/api/v1/units/{id}/photos`. */
const belowRecord = /^\/api\/v1\/(unit|deal|lead)s\/\{[^{}]+\}\/[^{}]+$/;

/** An id that exists for the item operations of a role, or null; `now` where one that was known earlier may be gone. */
async function knownId(check: Check, { role: own, fullTemplate }: Operation, now: boolean): Promise<string | null> {
  const role = belowRecord.exec(fullTemplate)?.[1] ?? own;
  if (role === 'unit' && !now) return (await someUnitIds(check, 1))[0] ?? null;
  if (role !== 'unit' && role !== 'deal' && role !== 'lead') return null;
  const { items } = await readPage(check, { path: paths[`${role}s`], ...(role === 'unit' ? { limit: 50 } : {}) });
  return items?.map(idOf).find((id) => id !== null) ?? null;
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

/** A declared operation that was sent once, and whether its answer can say that it is not there. */
interface Attempt {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly tells: boolean;
}

/** Sends a declared operation so that nothing is changed: reads plainly, writes with a body that is no JSON. Null where that cannot be done. */
async function safeAttempt(check: Check, operation: Operation, now: boolean): Promise<Attempt | null> {
  const { method, role, fullTemplate } = operation;
  const isRead = method === 'GET' || method === 'HEAD';
  const [isOther, isDeletion] = [role === 'other', method === 'DELETE'];
  const parameters = (fullTemplate.match(/\{[^{}]+\}/g) ?? []).length;
  if (role === 'planned' || role === 'document' || (isOther && !isPlainRead(operation))) return null;
  if (parameters > 1 || (isDeletion && parameters === 0) || (!isRead && check.target.readOnly)) return null;
  const id = parameters === 0 ? null : await knownId(check, operation, now);
  // Deleting is tried on an id that nothing has, so that "no such method" and "no such record" differ.
  const isKnown = id !== null && !isDeletion;
  const exchange = await check.send({
    method,
    path: fullTemplate.replace(/\{[^{}]+\}/, percentEncode(isKnown ? id : check.fresh('declared'))),
    surface: isOther ? 'other' : role === 'demo' ? 'demo' : 'production',
    ...(isRead || isDeletion
      ? {}
      : { body: Buffer.from('{"conformance":'), headers: [['content-type', 'application/json']] as const }),
    ...(isOther ? { as: 'API_KEY', tenant: check.target.tenant } : {}),
  });
  // On a path of the service's own, a declared 404 may say that there is nothing to show at present.
  const mayLack = isOther && /"(404|4xx|default)":/i.test(JSON.stringify(operation.operation['responses']));
  return { operation, exchange, tells: (isKnown || parameters === 0) && !mayLack };
}

const statusOf = ({ exchange: { response } }: Attempt): number | undefined => response?.status;
const isMissing = (one: Attempt): boolean => statusOf(one) === 404 && one.tells;

/** No declared operation is answered as if it were not there. */
export async function serveDeclared(check: Check): Promise<void> {
  const attempts = new Map<Operation, Attempt>();
  const attempt = (some: readonly Operation[], now: boolean): Promise<void> =>
    check.each(some, async (one) => {
      const made = await safeAttempt(check, one, now);
      if (made !== null) attempts.set(one, made);
    });
  const { operations } = (await check.contract()).contract;
  const missing = (): Operation[] => [...attempts.values()].filter(isMissing).map(({ operation }) => operation);
  await attempt(operations, false);
  // A unit listed at the start may have been sold since, and a new one may appear a little later.
  const again = (): Promise<void> => attempt(missing(), true);
  if (missing().length > 0) await settled(check, again, () => missing().length === 0);
  if ([...attempts.values()].every((one) => statusOf(one) === undefined))
    check.notApplicable('the document declares no operation that could be tried without an effect (see DOC-04)');
  for (const one of operations.flatMap((operation) => attempts.get(operation) ?? []))
    check.expect(one.exchange, (exchange) => ({
      pass: ![405, 501].includes(statusOf(one) ?? 0) && !isMissing(one),
      code: 'not-served',
      expected: `${one.operation.method} ${one.operation.fullTemplate}, which the document declares, to be served`,
      actual: describe(exchange),
    }));
}

const withoutSlash = (path: string): string => path.replace(/(?<!\/)\/+$/, '');

/** A path that has `/api` or `/v1` twice. */
const doubled = /\/(api|v1)\/(.*\/)?\1(\/|$)/;

/**
 * The paths on the host of BASE_URL to which a generated client sends an operation, one for each server. None where a server has another host
 * or a variable, or none is named: the client may be right there.
 */
function clientPaths(document: object, { operation, pathItem, template }: Operation, documentUrl: string): string[] {
  const levels = [operation, pathItem, document].map((one) => asList(asObject(one)?.['servers']));
  const urls = (levels.find((servers) => servers.length > 0) ?? []).map((server) => asObject(server)?.['url']);
  const paths = urls.flatMap((url) => {
    if (typeof url !== 'string' || url.includes('{') || !URL.canParse(url, documentUrl)) return [];
    const { host, pathname } = new URL(url, documentUrl);
    return host === new URL(documentUrl).host ? [withoutSlash(pathname) + template] : [];
  });
  return paths.length === urls.length ? paths : [];
}

/** Servers and paths of the document do not repeat each other: a generated client would call paths that do not exist. */
export async function repeatNoAddress(check: Check, document: Record<string, unknown>): Promise<void> {
  const { baseUrl, tenant, keys } = check.target;
  const { origin, pathname } = new URL(baseUrl);
  if (keys.API_KEY === undefined) return;
  for (const operation of operationsOf(document)) {
    const { method, role, fullTemplate } = operation;
    if (method !== 'GET' || !['units', 'leads', 'deals', 'demo'].includes(role)) continue;
    const addresses = clientPaths(document, operation, `${baseUrl}/api/openapi.json`);
    const isDoubled = (path: string): boolean =>
      doubled.test(path) && path !== `${withoutSlash(pathname)}${fullTemplate}`;
    if (addresses.length === 0 || !addresses.every(isDoubled)) continue;
    const ask = (path: string, base: string): Promise<Exchange> =>
      check.send({ path, base, surface: 'other', ...(role === 'demo' ? {} : { as: 'API_KEY', tenant }) });
    const single = await ask(fullTemplate, baseUrl);
    const absent = [];
    // A proxy may take the path of BASE_URL away before the service sees the request.
    for (const base of new Set([origin, baseUrl])) for (const path of addresses) absent.push(await ask(path, base));
    if (!isSuccess(single) || absent.some(({ response }) => response?.status !== 404)) continue;
    check.fail({
      code: 'address-absent',
      expected: `servers and path of GET ${operation.template} to give an address that answers, as ${fullTemplate} does`,
      actual: absent.map(describe).join(', '),
      exchanges: [single, ...absent],
    });
  }
}
