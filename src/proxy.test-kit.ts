import { request as send, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { generate } from 'selfsigned';

/** A certificate of its own making for 127.0.0.1, and its key, as PEM. */
export function certificate(): Promise<{ cert: string; private: string }> {
  const names = { name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] };
  return generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: true }, names],
  });
}

/** Hands a request on to the service at `url`, and its answer back with these headers besides. */
export function handOn(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  more: OutgoingHttpHeaders = {},
): void {
  const { method, headers, url: path = '/' } = request;
  const inner = send(`${url}${path}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...more });
    answer.pipe(response);
  });
  inner.on('error', () => response.destroy());
  request.pipe(inner);
}
