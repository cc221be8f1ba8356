import { createHash } from 'node:crypto';
import type { Ask } from '../../http/client.js';
import type { Exchange, HeaderLine, RecordedRequest } from '../../http/exchange.js';
import type { Redactor } from '../../http/redactor.js';
import { shownAuthorization } from '../../http/shown-authorization.js';

/** The identity of a request. It excludes the User-Agent (suite version and nonce may differ) and HEADERS (unknown to a verifier). */
function identity({ method, url, credential, headers, body }: Omit<RecordedRequest, 'path'>): string {
  const lines = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => name !== 'user-agent' && !value.startsWith('[redacted:HEADER_'));
  const identityJson = JSON.stringify([
    method,
    url,
    credential,
    lines.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)),
    body === null,
  ]);
  return createHash('sha256')
    .update(identityJson)
    .update(body ?? '')
    .digest('base64');
}

/** The identity of a recorded request. */
export function identityOfRecorded({ request }: Exchange): string {
  return identity(request);
}

/** The identity that a request will have once it is recorded; secrets are compared by their names. */
export function identityOfAsk(ask: Ask, redactor: Redactor): string {
  const headers = ask.headers.map(([name, value]): HeaderLine => [name, redactor.text(value)]);
  const name = ask.credential?.name ?? null;
  if (ask.credential !== null) headers.push(['authorization', shownAuthorization(ask.credential.authorization, name)]);
  const body = ask.body === null ? null : redactor.bytes(ask.body);
  return identity({ method: ask.method, url: redactor.text(ask.url), credential: name, headers, body });
}
