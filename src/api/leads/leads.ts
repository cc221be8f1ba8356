import { type Exchange, type HeaderLine, percentEncode } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { type Lead, type LeadForm, sampleTexts } from '../../generators/index.js';
import { asObject, paths, sentIn, type Walk, walk } from '../../service/index.js';
import { noteVehicle } from './refused-leads.js';

/** Where a lead is read and changed by its id. */
export const leadPath = (id: string): string => `${paths.leads}/${percentEncode(id)}`;

/** The declared list of leads; null where there is none. */
export async function listLeads(
  check: Check,
  options: Pick<RequestOptions, 'as' | 'tenant' | 'form'> = {},
): Promise<Walk | null> {
  const { contract } = await check.contract();
  const isDeclared = contract.operation('GET', paths.leads) !== null;
  return isDeclared ? walk(check, { ...options, path: paths.leads, limit: 50, maxPages: 12 }) : null;
}

/** Whether the list of leads requires a parameter that may select some of them, such as a vehicle: what it does not show may still be there. */
export async function listsSomeLeads(check: Check): Promise<boolean> {
  const { contract } = await check.contract();
  const operation = contract.operation('GET', paths.leads);
  // A page, a range that is filled in as wide as it can be, or how records are shown.
  const selectsAll =
    /limit|page|size|cursor|from|since|start|after|min|to$|until|end|before|max|locale|lang|fields|sort/i;
  return (operation?.parameters ?? []).some(
    ({ in: place, name, required }) => required && place === 'query' && !selectsAll.test(name),
  );
}

/** A word of 13 letters derived from a UUID: a service may refuse names with digits. */
export function wordFor(uuid: string): string {
  const letters = Array.from(uuid.replaceAll('-', '').slice(0, 13), (digit) => 'abdeghiklmnoprst'[parseInt(digit, 16)]);
  const word = letters.join('');
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The names of ordinary leads of this run, in lower case. */
export function ownNames(check: Check): Promise<Set<string>> {
  return check.once('names of leads', () => Promise.resolve(new Set<string>()));
}

/** Whether a record shows a name that this suite gives, and that no lead of this run has. */
export async function isOfAnotherRun(check: Check, record: Record<string, unknown>): Promise<boolean> {
  const names = await ownNames(check);
  return Object.values(record).some((value) => isTestName(value) && !names.has(value.toLowerCase()));
}

/** Whether it is a name as `uniqueName` gives it, whatever the case. */
export function isTestName(value: unknown): value is string {
  return typeof value === 'string' && /^conformance test [abdeghiklmnoprst]{13}$/i.test(value);
}

/** A name that no other lead has, as the document allows it. */
export function uniqueName({ schema, base }: LeadForm, uuid: string): string {
  const word = wordFor(uuid);
  const short = [`Test ${word}`, `Ana ${word}`, word, word.toLowerCase(), word.toUpperCase()];
  const isAllowed = (name: string): boolean => schema.allows({ ...base, name });
  return (
    [`Conformance Test ${word}`, ...short, word.slice(0, 8), word.slice(0, 6)].find(isAllowed) ??
    sampleTexts(schema.properties.get('name'), schema.whole, parseInt(uuid.slice(0, 7), 16)).find(isAllowed) ??
    String(base['name'])
  );
}

/** The body of a create of a lead; null for any other exchange, and where it is no object or far larger than a lead. */
export function sentLead(exchange: Exchange): Lead | null {
  const { method, url, body } = exchange.request;
  const isCreate = method === 'POST' && url.split('?', 1)[0]?.endsWith('/v1/leads') === true;
  return isCreate && (body?.length ?? 0) <= 65_536 ? sentIn(exchange) : null;
}

/** Creates a lead the way the specification shows it; a fresh idempotency key unless given. */
export async function postLead(
  check: Check,
  lead: unknown,
  options: Partial<RequestOptions> & { readonly key?: string | null } = {},
): Promise<Exchange> {
  const { key = check.fresh('idempotency key'), headers = [], ...rest } = options;
  const sent: HeaderLine[] = [...(key === null ? [] : [['idempotency-key', key] as const]), ...headers];
  const exchange = await check.send({
    method: 'POST',
    path: paths.leads,
    ...(rest.body === undefined ? { json: lead } : {}),
    ...rest,
    headers: sent,
  });
  await noteVehicle(check, asObject(lead)?.['vehicleId'], exchange);
  return exchange;
}
