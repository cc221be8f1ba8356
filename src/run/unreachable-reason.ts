import { proxyName } from '../http/connector.js';
import { isOfProxy } from '../http/outage.js';
import type { Exchange } from '../http/exchange.js';
import type { Target } from '../settings/target.js';

const unreachableWords: Readonly<Partial<Record<string, string>>> = {
  refused: 'it refuses connections; is it running, and is this its port?',
  dns: 'its name is not known; is BASE_URL right?',
  unreachable: 'no route leads to it; is the network or the VPN up?',
  tls: 'TLS fails; is the scheme of BASE_URL right?',
  reset: 'it closes every connection',
  timeout: 'it answers nothing in time',
  http2: 'it speaks HTTP/2 only, and this suite sends HTTP/1.1; let it, or a proxy before it, accept HTTP/1.1 as well',
  malformed: 'what listens there does not speak HTTP',
};

/** Why nothing can be judged of a target whose answer, or failure, this was to the first look; one sentence. */
export function unreachableReason({ baseUrl, network }: Target, { response, failure }: Exchange): string {
  if (response !== null) {
    // A proxy that gets plain http answers in the place of a service that it cannot reach.
    const proxy = baseUrl.startsWith('http:') ? network.proxyFor(baseUrl) : null;
    const who = proxy === null ? 'it' : `it, or ${proxyName(proxy)} for it,`;
    return `${baseUrl} cannot be judged: ${who} answers ${response.status} to everything`;
  }
  const { kind, message } = failure ?? { kind: 'other', message: '' };
  if (isOfProxy(kind)) {
    const isNear = /^(localhost|127\.|\[::1\])/.test(new URL(baseUrl).hostname);
    return `${baseUrl} cannot be reached: ${message}${isNear ? '; name its host in NO_PROXY to leave the proxy out' : ''}`;
  }
  const said = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
  const words =
    /handshake failure|certificate required|bad certificate/i.test(said) ||
    (kind === 'reset' && baseUrl.startsWith('https:'))
      ? 'it ends the TLS connection; if it asks for a client certificate, set CLIENT_CERT and CLIENT_KEY'
      : /altnames/.test(said)
        ? 'its certificate is for another name; does BASE_URL name the right host?'
        : /certificate has expired|certificate is not yet valid/.test(said)
          ? 'its certificate is not valid at this time; renew it, or set the clock of this machine'
          : /unable to verify the first certificate/.test(said)
            ? 'its certificate is not trusted; let it send the intermediate certificates as well, or name a file with them, or of the authority that signed it, in CA or --ca'
            : kind === 'tls' && /certificate/i.test(said)
              ? 'its certificate is not trusted; name the file of the authority that signed it in CA or --ca, or in the environment variable NODE_EXTRA_CA_CERTS'
              : (unreachableWords[kind] ?? 'it gives no answer');
  return `${baseUrl} cannot be reached: ${words} (${said || kind})`;
}

/** Whether the proxy does not accept its password, or asks for one. */
export const isRefusedByProxy = ({ failure }: Exchange): boolean => failure?.kind === 'proxy-login';

/** Whether TLS is spoken there, with a certificate that is not trusted. */
export const isCertificateTrouble = ({ failure }: Exchange): boolean =>
  failure?.kind === 'tls' && /certificate|altnames/i.test(failure.message);
