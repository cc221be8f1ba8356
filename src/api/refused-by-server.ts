import { type Exchange, gatewayOf, notPassedOn } from '../http/index.js';
import { credentialStatuses } from './access/bad-credentials.js';

/** Above this length, in characters, a server may answer 414 or 431 to a path, though RFC 9110 §4.1 recommends 8,000 octets. */
const longPath = 2_000;

/** The statuses with which an HTTP server before the application may refuse this request, whatever the document declares. */
export function serverStatuses({ request }: Pick<Exchange, 'request'>): readonly number[] {
  const [path = ''] = request.path.split('?');
  const ofCredential = credentialStatuses(request.credential);
  if (ofCredential.length > 0) return ofCredential;
  // Apache HTTP Server answers 404 to %00, nginx and others 400.
  if (path.includes('%00')) return [400, 404];
  return path.length > longPath ? [414, 431] : [];
}

/** Whether an HTTP server refused the request before the application, which alone knows the envelope, could see it. */
export function isRefusedByHttpServer(exchange: Exchange): boolean {
  const { response } = exchange;
  const statuses = serverStatuses(exchange);
  if (response !== null && notPassedOn.includes(response.status) && gatewayOf(response) !== null) return true;
  if (response === null || response.json !== undefined || statuses.length === 0) return false;
  const isEmpty = response.body.length === 0;
  return statuses.includes(response.status) || (isEmpty && [400, 414, 431].includes(response.status));
}
