import { request, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Network, Proxy } from '../settings/index.js';
import { suspendAwareTimeout } from './suspend-aware-timeout.js';

/** No client certificate, no further authority and no proxy. */
export const plainNetwork: Network = { tls: null, proxyFor: () => null };

/** A failure of the proxy, of which the service knows nothing; the message is one sentence about the proxy. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly kind: 'proxy' | 'proxy-login';

  constructor(message: string, kind: ProxyError['kind'] = 'proxy') {
    super(message);
    this.kind = kind;
  }
}

const connectMs = 5_000;
/** Below the time limit of a request, so that it is the proxy that is named. */
const tunnelMs = 4_000;

/** `the proxy 10.0.0.1:3128 of HTTPS_PROXY`, for sentences. */
export const proxyName = ({ host, setting }: Proxy): string => `the proxy ${host} of ${setting}`;

/** The sentence on a proxy that answers 407. */
export function proxyRefusal(proxy: Proxy): string {
  const why =
    proxy.authorization === null
      ? 'asks for a user name and password, as in http://USER:PASSWORD@HOST:PORT'
      : 'does not accept the user name and password there';
  return `${proxyName(proxy)} ${why} (it answers 407)`;
}

/** The header that a proxy wants, if any. */
export function proxyHeaders({ authorization }: Proxy): Record<string, string> {
  return authorization === null ? {} : { 'proxy-authorization': authorization };
}

/** The socket that a connector opens. */
export const opened = (connect: buildConnector.connector, options: buildConnector.Options): Promise<Socket> =>
  new Promise((resolve, reject) => {
    connect(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });

async function reach(proxy: Proxy, connect: buildConnector.connector): Promise<Socket> {
  try {
    return await opened(connect, proxy);
  } catch (error) {
    const { message = '', code = '' } = error as { readonly message?: string; readonly code?: string };
    throw new ProxyError(`${proxyName(proxy)} cannot be reached (${message || code})`);
  }
}

/** Asks the proxy on an open socket for a tunnel to `authority` (RFC 9110 §9.3.6). */
function tunnel(proxy: Proxy, authority: string, socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (what: string, kind?: ProxyError['kind']): void => {
      callOff();
      socket.destroy();
      reject(new ProxyError(what, kind));
    };
    const callOff = suspendAwareTimeout(tunnelMs, () =>
      fail(`${proxyName(proxy)} does not answer CONNECT within ${tunnelMs / 1000} s`),
    );
    request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, 'proxy-connection': 'keep-alive', connection: 'keep-alive', ...proxyHeaders(proxy) },
      createConnection: () => socket,
    })
      .once('connect', ({ statusCode: status = 0 }) => {
        callOff();
        if (status >= 200 && status < 300) resolve(socket);
        else if (status === 407) fail(proxyRefusal(proxy), 'proxy-login');
        else
          fail(`${proxyName(proxy)} answers CONNECT ${authority} with ${status} ${STATUS_CODES[status] ?? ''}`.trim());
      })
      .on('error', ({ message }) => fail(`${proxyName(proxy)} does not answer CONNECT (${message})`))
      .end();
  });
}

/**
 * Opens sockets to services: directly, or where a proxy leads there, through a tunnel for https and to the proxy itself for http, which gets
 * requests in absolute form then (RFC 9112 §3.2.2), as curl does. The certificate of the service is checked in either case.
 */
export function connectorFor({ tls, proxyFor }: Network): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs, ...(tls === null ? {} : { secureContext: tls }) });
  const through = async (proxy: Proxy, options: buildConnector.Options): Promise<Socket> => {
    const socket = await reach(proxy, connect);
    if (options.protocol === 'http:') return socket;
    const authority = `${options.host ?? options.hostname}${options.port === '' ? ':443' : ''}`;
    return opened(connect, { ...options, httpSocket: await tunnel(proxy, authority, socket) });
  };
  return (options, callback) => {
    const proxy = proxyFor(`${options.protocol}//${options.host ?? options.hostname}`);
    if (proxy === null) connect(options, callback);
    else
      through(proxy, options).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      );
  };
}
