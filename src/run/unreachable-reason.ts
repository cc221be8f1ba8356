import { type Exchange, type Failure, isOfProxy, proxyName } from '../http/index.js';
import type { Target } from '../settings/index.js';

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

/** Codes of errors about a certificate. */
const certificateCodes = /CERT|UNABLE_TO/;

/** Why nothing can be judged of a target whose answer, or failure, this was to the first look; one sentence. */
export function unreachableReason({ baseUrl, network }: Target, { response, failure }: Exchange): string {
  if (response !== null) {
    // A proxy that gets plain http answers in the place of a service that it cannot reach.
    const proxy = baseUrl.startsWith('http:') ? network.proxyFor(baseUrl) : null;
    const who = proxy === null ? 'it' : `it, or ${proxyName(proxy)} for it,`;
    return `${baseUrl} cannot be judged: ${who} answers ${response.status} to everything`;
  }
  const { kind, message, codes = [] }: Failure = failure ?? { kind: 'other', message: '' };
  const hasCode = (pattern: RegExp): boolean => codes.some((code) => pattern.test(code));
  if (isOfProxy(kind)) {
    const isNear = /^(localhost|127\.|\[::1\])/.test(new URL(baseUrl).hostname);
    return `${baseUrl} cannot be reached: ${message}${isNear ? '; name its host in NO_PROXY to leave the proxy out' : ''}`;
  }
  const said = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
  const words =
    hasCode(/ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|BAD_CERTIFICATE)/) ||
    (kind === 'reset' && baseUrl.startsWith('https:'))
      ? 'it ends the TLS connection; if it asks for a client certificate, set CLIENT_CERT and CLIENT_KEY'
      : hasCode(/ALTNAME/)
        ? 'its certificate is for another name; does BASE_URL name the right host?'
        : hasCode(/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/)
          ? 'its certificate is not valid at this time; renew it, or set the clock of this machine'
          : hasCode(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/)
            ? 'its certificate is not trusted; let it send the intermediate certificates as well, or name a file with them, or of the authority that signed it, in CA or --ca'
            : hasCode(certificateCodes)
              ? 'its certificate is not trusted; name the file of the authority that signed it in CA or --ca, or in the environment variable NODE_EXTRA_CA_CERTS'
              : (unreachableWords[kind] ?? 'it gives no answer');
  return `${baseUrl} cannot be reached: ${words} (${said || kind})`;
}

/** Whether the proxy does not accept its password, or asks for one. */
export const isRefusedByProxy = ({ failure }: Exchange): boolean => failure?.kind === 'proxy-login';

/** Whether TLS is spoken there, with a certificate that is not trusted. */
export const isCertificateTrouble = ({ failure }: Exchange): boolean =>
  failure?.codes?.some((code) => certificateCodes.test(code)) === true;
