import { headerMark, parseHeaders } from './headers.js';
import { proxyVariables, secretSettings, type RawSettings, type SettingName } from './setting-table.js';

/** Settings whose URLs may carry a token in their query. */
const urlSettings = ['WEBHOOK_TRIGGER', 'WEBHOOK_RECEIVER'] as const satisfies readonly SettingName[];

/**
 * The password in a proxy's URL, or a token in the place of its user, alone and as the proxy gets both. They go to the proxy alone, so one
 * that is short or an ordinary word is left out: nothing is searched for it that a service answers.
 */
function proxySecrets(url: string): string[] {
  const [, user = '', password = ''] = /^(?:[a-z]+:\/\/)?([^/:]*)(?::([^/]*))?@/i.exec(url) ?? [];
  return [user === '' ? '' : `${user}:${password}`, password === '' ? user : password]
    .flatMap((value) => [value, decoded(value)])
    .filter((value) => value.length >= 8 && /[^a-z]/i.test(value));
}

const tellingName = /token|key|secret|sig|auth|pass|code|cred/i;

/** A secret is hidden wherever it occurs, so an ordinary word must not count as one. */
function looksSecret(name: string, value: string): boolean {
  if (/[{}]/.test(value) || value.startsWith('[redacted:')) return false;
  return (
    (tellingName.test(name) && value.length >= 8) || (value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value))
  );
}

/** The values in a URL's query that look like secrets, as written. */
function valuesIn(url: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return query.split('&').flatMap((pair) => {
    const [name = '', value = name] = pair.split(/=(.*)/s);
    return looksSecret(name, value) ? [value] : [];
  });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Every secret in the settings with its setting's or header's name; one in a URL that is written in percent escapes also without them. */
export function secretsIn(settings: RawSettings): (readonly [string, string])[] {
  const headers = parseHeaders(settings.HEADERS ?? '').map(([name, value]) => [headerMark(name), value] as const);
  const whole = secretSettings.flatMap((name) => {
    if (name === 'HEADERS') return [];
    const value = settings[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  const inUrls = urlSettings.flatMap((name) =>
    valuesIn(settings[name] ?? '').flatMap((value) =>
      [...new Set([value, decoded(value)])].map((one) => [name, one] as const),
    ),
  );
  const inProxies = (['PROXY', ...proxyVariables] as const).flatMap((name) =>
    [...new Set(proxySecrets(settings[name]?.trim() ?? ''))].map((one) => [name, one] as const),
  );
  return [...whole, ...headers, ...inUrls, ...inProxies];
}

/** A setting's URL with the secrets in its query replaced by `[redacted:NAME]`; of a proxy, that alone. */
export function shownUrl(name: SettingName, url: string): string {
  if (name === 'PROXY') return `[redacted:${name}]`;
  if (!(urlSettings as readonly string[]).includes(name)) return url;
  return valuesIn(url).reduce((shown, value) => shown.replaceAll(value, `[redacted:${name}]`), url);
}
