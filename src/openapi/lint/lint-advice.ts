import { createsUnit } from '../creates-unit.js';
import { eventKinds } from '../event-kinds.js';
import { findBelow } from '../schema/joined-schemas.js';
import type { Breach } from './lint-rules.js';
import { jsonContent, needsCredentials, operationsOf, type Operation } from '../operations.js';
import { child } from '../schema/pointer.js';
import { follow, type Located, typesOf } from '../schema/resolve.js';
import { declaresStatus, responseFor } from '../responses.js';
import { asList, asObject, objectsIn } from '../values.js';

/** How an operation is declared for callers without a bearer token: closed, open, or not said where the document names no scheme at all. */
function accessOf(document: Record<string, unknown>, one: Operation): 'closed' | 'open' | null {
  const schemes = asObject(asObject(document['components'])?.['securitySchemes']) ?? {};
  const declared = one.operation['security'] ?? document['security'];
  if (declared === undefined && Object.keys(schemes).length === 0) return null;
  const isBearer = (name: string): boolean => {
    const { type, scheme, in: place, name: header } = follow(document, schemes[name], '')?.node ?? {};
    return (
      (type === 'http' && String(scheme).toLowerCase() === 'bearer') ||
      type === 'oauth2' ||
      type === 'openIdConnect' ||
      (type === 'apiKey' && place === 'header' && String(header).toLowerCase() === 'authorization')
    );
  };
  const requirements = asList(declared).map((requirement) => Object.keys(asObject(requirement) ?? {}));
  return requirements.length > 0 && requirements.every((names) => names.some(isBearer)) ? 'closed' : 'open';
}

/** Whether a schema says that an answer is something else than an envelope. */
function isBare(document: Record<string, unknown>, media: Located | null): boolean {
  const schema = media && follow(document, media.node['schema'], '')?.node;
  if (!schema || ['allOf', 'anyOf', 'oneOf'].some((name) => name in schema)) return false;
  const types = typesOf(schema);
  const names = Object.keys(asObject(schema['properties']) ?? {});
  return (
    (types.length > 0 && !types.includes('object')) ||
    (names.length > 0 && !names.includes('ok') && !names.includes('data'))
  );
}

/** What a document says against the specification beyond its operations, and, as notes, what it could declare and does not (DOC-08). */
export function lintAdvice(document: Record<string, unknown>, breach: Breach): void {
  const notes = new Map<string, string[]>();
  const note = (what: string, where: string): void => void notes.set(what, [...(notes.get(what) ?? []), where]);
  const operations = operationsOf(document);
  for (const one of operations) {
    if (!['units', 'unit', 'leads', 'lead', 'deals', 'deal'].includes(one.role)) continue;
    const name = `${one.method} ${one.template}`;
    const access = accessOf(document, one);
    if (access === 'open') breach('no-bearer', one.pointer, `${name} is declared without it`);
    if (access === null) note('bearer security', name);
    const creates = one.role === 'leads' || (one.role === 'units' && createsUnit(document, one));
    const hasKey = one.parameters.some(
      ({ in: place, name: key }) => place === 'header' && /^idempotency-key$/i.test(key),
    );
    if (one.method === 'POST' && creates && !hasKey) note('the header Idempotency-Key', name);
    if (!declaresStatus(one, 429)) note('the answer 429', name);
    const successes = objectsIn(one.operation['responses'])
      .filter(([status]) => /^2/.test(status))
      .map(([status, raw]) => follow(document, raw, child(child(one.pointer, 'responses'), status)));
    const response = successes.length > 0 ? successes[0] : responseFor(document, one, 200);
    if (response === null || response === undefined) continue;
    const headers = Object.keys(asObject(response.node['headers']) ?? {}).map((header) => header.toLowerCase());
    if (!['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].every((header) => headers.includes(header)))
      note('the three RateLimit headers', name);
    // Failures may share the 2xx statuses.
    const media = [response, ...successes].map((holder) => holder && jsonContent(document, holder));
    const shows = (one: Located | null, field: string): boolean => findBelow(document, one, [field]) !== null;
    if (media.some((each) => shows(each, 'ok') && shows(each, 'data'))) continue;
    if (media.every((each) => isBare(document, each)))
      breach('no-envelope', response.pointer, `${name} declares something else`);
    else note('the envelope {ok, data}', name);
  }
  for (const one of operations.filter((other) => other.role === 'demo'))
    if (needsCredentials(document, one))
      breach('demo-security', one.pointer, `${one.method} ${one.template} declares some`);
  const webhooks = Object.keys(asObject(document['webhooks']) ?? {}).map((hook) =>
    hook.replace(/[^a-z]/gi, '').toLowerCase(),
  );
  for (const kind of eventKinds) if (!webhooks.includes(kind.replace('.', ''))) note('webhooks', kind);
  for (const [what, where] of notes) breach('undeclared', '', where.join(', '), what);
}
