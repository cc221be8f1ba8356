import { createsUnit } from '../creates-unit.js';
import { eventKinds } from '../event-kinds.js';
import { findBelow } from '../schema/find-schema.js';
import { findingsOf, type LintFinding } from './lint-types.js';
import { jsonContent, operationsOf, type Operation } from '../operations.js';
import { child } from '../schema/pointer.js';
import { follow, type Located } from '../schema/resolve.js';
import { declaresStatus, responseFor } from '../responses.js';
import { asList, asObject, objectsIn } from '../values.js';

/** Whether an operation is closed to callers without a bearer token. */
function isSecured(document: Record<string, unknown>, one: Operation): boolean {
  const schemes = asObject(asObject(document['components'])?.['securitySchemes']) ?? {};
  const requirements = asList(one.operation['security'] ?? document['security']).map(asObject);
  return (
    requirements.length > 0 &&
    requirements.every((requirement) =>
      Object.keys(requirement ?? {}).some((name) => {
        const scheme = follow(document, schemes[name], '')?.node;
        return (
          (scheme?.['type'] === 'http' && String(scheme['scheme']).toLowerCase() === 'bearer') ||
          scheme?.['type'] === 'oauth2' ||
          scheme?.['type'] === 'openIdConnect'
        );
      }),
    )
  );
}

/** Declarations of a helpful document beyond its operations (DOC-08); advice only. */
export function lintAdvice(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-08', 'warn');
  const advise = (expected: string, actual: string, pointer: string): void => breach(pointer, expected, actual);
  const operations = operationsOf(document);
  const production = operations.filter((one) => ['units', 'unit', 'leads', 'lead', 'deals', 'deal'].includes(one.role));
  const name = (one: Operation): string => `${one.method} ${one.template}`;
  for (const one of production) {
    if (!isSecured(document, one))
      advise('bearer security on every production operation', `${name(one)} declares none`, one.pointer);
    if (
      one.method === 'POST' &&
      (one.role === 'leads' || (one.role === 'units' && createsUnit(document, one))) &&
      !one.parameters.some((parameter) => parameter.in === 'header' && /^idempotency-key$/i.test(parameter.name))
    ) {
      advise('the header Idempotency-Key on every create', `${name(one)} does not declare it`, one.pointer);
    }
    if (!declaresStatus(one, 429)) advise('the answer 429', `${name(one)} does not declare it`, one.pointer);
    const successes = objectsIn(one.operation['responses'])
      .filter(([status]) => /^2/.test(status))
      .map(([status, raw]) => follow(document, raw, child(child(one.pointer, 'responses'), status)));
    const response = successes.length > 0 ? successes[0] : responseFor(document, one, 200);
    if (response === null || response === undefined) continue;
    const headers = Object.keys(asObject(response.node['headers']) ?? {}).map((header) => header.toLowerCase());
    const missing = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].filter(
      (header) => !headers.includes(header.toLowerCase()),
    );
    if (missing.length > 0)
      advise(
        'the three RateLimit headers on every answer',
        `${name(one)} does not declare ${missing.join(', ')}`,
        response.pointer,
      );
    const shows = (holder: Located | null, field: string): boolean =>
      holder !== null && findBelow(document, jsonContent(document, holder), [field]) !== null;
    // Failures may share the 2xx statuses.
    if (![response, ...successes].some((each) => shows(each, 'ok') && shows(each, 'data')))
      advise('the envelope {ok, data} in every success schema', `${name(one)} does not declare it`, response.pointer);
  }
  for (const one of operations.filter((other) => other.role === 'demo')) {
    if (isSecured(document, one))
      advise('no security on the demo operation', `${name(one)} declares some`, one.pointer);
  }
  const webhooks = new Set(Object.keys(asObject(document['webhooks']) ?? {}));
  const absent = eventKinds.filter(
    (kind) => ![...webhooks].some((hook) => hook.replace(/[^a-z]/gi, '').toLowerCase() === kind.replace('.', '')),
  );
  if (absent.length > 0)
    advise(
      'webhooks for the thirteen event kinds',
      `${absent.length === eventKinds.length ? 'none are' : `${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not`} declared`,
      '/webhooks',
    );
  return findings.slice(0, 40);
}
