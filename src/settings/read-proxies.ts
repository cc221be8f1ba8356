import { BlockList, isIP } from 'node:net';
import type { RawSettings } from './setting-table.js';
import type { Network, Proxy } from './target.js';
import { wrongSetting } from './wrong-input.js';

/** `[::1]` → `::1`. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** The proxy that a setting names, or null; throws SettingsError, in whose message no value stands, as it may hold a password. */
function readProxy(setting: Proxy['setting'], given = ''): Proxy | null {
  const text = given.trim();
  if (text === '') return null;
  // curl and others take an address without a scheme too.
  const whole = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  try {
    const { protocol, host, hostname, port, username, password } = new URL(whole);
    if (!/^https?:$/.test(protocol)) throw new TypeError(protocol);
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      setting,
      protocol,
      host,
      hostname: withoutBrackets(hostname),
      port,
      authorization: user === ':' ? null : `Basic ${Buffer.from(user).toString('base64')}`,
    };
  } catch {
    const expected = 'http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with %40 for an @ in the password';
    throw wrongSetting(setting, 'no URL of an HTTP proxy', expected);
  }
}

/**
 * Whether NO_PROXY names a host: a name with all names below it, an address, a network such as 10.0.0.0/8, or `*`; each may end in a port
 * (as curl and undici read it).
 */
function exemptions(list: string): (hostname: string, port: string) => boolean {
  const networks = new BlockList();
  const names: { readonly name: string; readonly port: string }[] = [];
  for (const entry of list.toLowerCase().split(/[\s,]+/)) {
    const [, network = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    const version = isIP(network);
    if (version > 0 && Number(bits) <= (version === 4 ? 32 : 128))
      networks.addSubnet(network, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
    const [, host = entry, port = ''] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    names.push({ name: host.replace(/^\*?\.|^\[|\]$/g, ''), port });
  }
  return (hostname, port) => {
    const version = isIP(hostname);
    if (version > 0 && networks.check(hostname, version === 4 ? 'ipv4' : 'ipv6')) return true;
    return names.some(
      (one) =>
        one.name !== '' &&
        (one.port === '' || one.port === port) &&
        (one.name === '*' || hostname === one.name || hostname.endsWith(`.${one.name}`)),
    );
  };
}

const isLoopback = (hostname: string): boolean => /^(localhost$|127\.|::1$)/.test(hostname);

/**
 * The proxies of the settings: PROXY for every URL, else HTTP_PROXY and HTTPS_PROXY, and none for the hosts of NO_PROXY. HTTP_PROXY and
 * HTTPS_PROXY, which a machine sets for all its programs, do not lead to loopback (as Go's ProxyFromEnvironment). Throws SettingsError.
 */
export function readProxies(raw: RawSettings): Network['proxyFor'] {
  const every = readProxy('PROXY', raw.PROXY);
  const isExempt = exemptions(raw.NO_PROXY ?? '');
  const ofTheMachine: Partial<Record<Proxy['setting'], { readonly proxy: Proxy | null }>> = {};
  return (url) => {
    const { protocol, hostname, port } = new URL(url);
    const host = withoutBrackets(hostname);
    if (isExempt(host, port || (protocol === 'https:' ? '443' : '80'))) return null;
    if (every !== null || isLoopback(host)) return every;
    // Only when one is needed: a machine's proxy for other programs may be none for HTTP.
    const setting = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    return (ofTheMachine[setting] ??= { proxy: readProxy(setting, raw[setting]) }).proxy;
  };
}
