import { setTimeout as sleep } from 'node:timers/promises';
import {
  BlockedSignal,
  type Client,
  type Exchange,
  header,
  isUndelivered,
  looksAway,
  ownWords,
} from '../http/index.js';
import { type KeyName, otherForms, SettingsError, type Target, urlIn } from '../settings/index.js';
import type { Run } from './run.js';
import { isCertificateTrouble, isRefusedByProxy, unreachableReason } from './unreachable-reason.js';

/** Result of the first look at the target: one sentence for each problem, or null. */
export interface TargetState {
  /** Why nothing at all can be judged. */
  readonly unreachable: string | null;
  /** Whether that is the fault of BASE_URL, or of the proxy's password, rather than that of a target that is down. */
  readonly isMistaken?: boolean;
  /** Why nothing can be judged that takes a key. */
  readonly refused: string | null;
}

/** Nothing is wrong. */
export const readyTarget: TargetState = { unreachable: null, refused: null };

/** Looks at a target that seems away, before it counts as unreachable; a resolver or a proxy may fail for an instant. */
const looks = 3;
const pauseMs = 250;
const longPauseMs = 1_000;

function answerOf({ response, failure }: Exchange): { status: number; failure: Exchange['failure'] } {
  return { status: response?.status ?? 0, failure };
}

const askRoot =
  "is it the root of the API, not of a console, and does a proxy ask for --header 'NAME: VALUE' or CLIENT_CERT?";

/** The same address with the other scheme. */
const otherScheme = (url: string): string =>
  url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:');

/** Why BASE_URL leads nowhere, where no answer to the probes is a success; null where it may be right. `look` asks another root, without a key. */
async function mistakeIn(
  baseUrl: string,
  seen: readonly Exchange[],
  look: (root: string) => Promise<readonly Exchange[]>,
): Promise<string | null> {
  const [first] = seen;
  if (first === undefined) return null;
  const statuses = new Set(seen.map(({ response }) => response?.status ?? 0));
  const isOther =
    (first.failure?.kind === 'tls' && !isCertificateTrouble(first)) ||
    ['reset', 'malformed'].includes(first.failure?.kind ?? '') ||
    (statuses.size === 1 && statuses.has(400));
  if (isOther) {
    const root = otherScheme(baseUrl);
    // A port that speaks TLS may answer plain HTTP with 400.
    if ((await look(root)).some((one) => ![400, undefined].includes(one.response?.status) || isCertificateTrouble(one)))
      return `BASE_URL is ${baseUrl}, and that port speaks ${root.split(':')[0] ?? ''}: did you mean ${root}?`;
  }
  if ([...statuses].every((status) => status >= 300 && status < 400)) {
    const to = first.response?.headers.find(([name]) => name === 'location')?.[1] ?? 'nowhere';
    const whole = URL.canParse(to, first.request.url) ? new URL(to, first.request.url).href : to;
    const root = whole.endsWith(first.request.path) ? whole.slice(0, -first.request.path.length) : null;
    // A login page is often given the path to come back to.
    const meant = root === null || root === baseUrl || root.includes('?') ? askRoot : `did you mean ${root}?`;
    return `BASE_URL is ${baseUrl}, which answers every request with a redirect (${first.request.method} ${first.request.path} → ${first.response?.status ?? ''} to ${whole.slice(0, 200)}): ${meant}`;
  }
  const { origin, pathname } = new URL(baseUrl);
  const shorter = `${origin}${pathname.replace(/\/api(\/.*)?$/, '')}`.replace(/\/$/, '');
  if (shorter !== baseUrl && first.response !== null && (await look(shorter)).some(accepts))
    return `BASE_URL is ${baseUrl}, where the API is not (GET /api/openapi.json → ${ownWords(seen.at(-1) ?? first)}), and it is further up: did you mean ${shorter}?`;
  if (first.response !== null && (seen.every(isForeign) || (statuses.size === 1 && statuses.has(404)))) {
    const { response, request } = first;
    const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    // Only to be quoted: tags and text need no perfect separation.
    const text = (response.text ?? '')
      .slice(0, 2_000)
      .replace(/<(style|script)\b[^<]*|<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    const said = [String(response.status), type.split(';')[0], text && `"${text.slice(0, 60)}"`]
      .filter(Boolean)
      .join(' ');
    return `BASE_URL is ${baseUrl}, where the API is not (${request.method} ${request.path} → ${said}): ${askRoot}`;
  }
  return null;
}

/** Whether something answers that is no JSON API: a page of a console or of a proxy. JSON that cannot be read is a breach to report. */
const isForeign = (exchange: Exchange): boolean => {
  const { response } = exchange;
  if (response === null || (typeof response.json === 'object' && response.json !== null)) return false;
  return response.status >= 300 || !/^application\/([\w.-]+\+)?json\b/i.test(header(exchange, 'content-type') ?? '');
};

const accepts = ({ response }: Exchange): boolean =>
  response !== null &&
  response.status >= 200 &&
  response.status < 300 &&
  typeof response.json === 'object' &&
  (response.json as { ok?: unknown } | null)?.ok !== false;

const units = '/api/v1/units';

/** The key to try, if any, and the requests to try it with. */
interface ProbedKey {
  readonly keyName: KeyName | null;
  readonly paths: readonly string[];
}

export const keyedLists = [units, '/api/v1/leads', '/api/v1/deals'];

/** Reads once with a key and the tenant, or with neither, whatever the answer. */
const probe = (
  target: Target,
  client: Client,
  url: string,
  name: KeyName | null = 'API_KEY',
  { tenant = target.tenant, timeoutMs = 5_000, raw = true } = {},
): Promise<Exchange> =>
  client.send('set-up', {
    method: 'GET',
    url,
    surface: 'other',
    headers: [
      ['accept', 'application/json'],
      ...(name === null || tenant === null ? [] : [['x-tenant', tenant] as const]),
    ],
    credential: name === null ? null : { name, authorization: `Bearer ${target.keys[name] ?? ''}` },
    body: null,
    raw,
    timeoutMs,
  });

/** Why API_BASE_URL does not seem to be the second address form, in one sentence; null where units are listed there, or it is not set. */
export async function secondFormTrouble(target: Target, client: Client): Promise<string | null> {
  const [form] = otherForms(target);
  if (form === undefined) return null;
  const answer = await probe(target, client, urlIn(form, units, target));
  const seen = answer.failure === null ? ownWords(answer) : answer.failure.message;
  return accepts(answer)
    ? null
    : `API_BASE_URL is ${urlIn(form, '', target)}, and GET /v1/units there → ${seen}: correct it, or VER-01 fails`;
}

/** The lists that the service forbids API_KEY, though it shows it another one, in one sentence; null if it forbids none. */
export async function forbiddenLists(target: Target, client: Client): Promise<string | null> {
  const refused: string[] = [];
  for (const path of keyedLists) {
    const answer = await probe(target, client, `${target.baseUrl}${path}`);
    if ([401, 403].includes(answer.response?.status ?? 0)) refused.push(`${path} (${ownWords(answer)})`);
  }
  return refused.length === 0 || refused.length === keyedLists.length
    ? null
    : `API_KEY must be a full-access key ("admin:*"): the service refuses it for ${refused.join(' and ')}`;
}

/** Asks until the target answers, for as long as is to be waited, and then whether it accepts the key and TENANT at all. */
export async function probeTarget(
  target: Target,
  client: Client,
  waitSeconds: number,
  { keyName, paths }: ProbedKey = { keyName: 'API_KEY', paths: keyedLists },
): Promise<TargetState> {
  const [listing] = paths;
  const key = keyName === null || listing === undefined || target.keys[keyName] === undefined ? null : keyName;
  const ask = (path: string, as: KeyName | null = key, how: Parameters<typeof probe>[4] = {}): Promise<Exchange> =>
    probe(target, client, `${target.baseUrl}${path}`, as, how);
  const open = ['/api/demo/units', '/api/openapi.json'];
  const [main = units, ...others] = key === null || listing === undefined ? open : [listing, ...open];
  /** The first answer alone where it is a success or nobody heard the request, and all where it is not or is long in coming. */
  const look = async (): Promise<Exchange[]> => {
    const first = ask(main);
    const early = await Promise.race([first, sleep(longPauseMs, null, { ref: false })]);
    if (early !== null && (accepts(early) || isUndelivered(answerOf(early)))) return [early];
    return Promise.all([first, ...others.map((path) => ask(path, null, { timeoutMs: 4_000 }))]);
  };
  const lookAt = (root: string): Promise<Exchange[]> =>
    Promise.all(open.map((path) => probe(target, client, `${root}${path}`, null, { timeoutMs: 2_000 })));
  const deadlineMs = performance.now() + waitSeconds * 1000;
  let seen = await look();
  const isAway = (): boolean => seen.every((one) => looksAway(answerOf(one)));
  for (let looked = 1; isAway(); looked += 1) {
    // Silence has been waited for already.
    const enough = looked >= looks || seen.some(({ failure }) => failure?.kind === 'timeout');
    if (enough && performance.now() >= deadlineMs) break;
    // A wrong password locks an account if it is tried often enough.
    if (seen.some(isRefusedByProxy)) break;
    await sleep(enough ? longPauseMs : pauseMs);
    seen = await look();
  }
  if (seen.every(({ response }) => response?.status === 429)) {
    // Waits as the service asks, so a limit that was merely used up is no reason.
    try {
      await ask(main, key, { raw: false });
    } catch (error) {
      if (!(error instanceof BlockedSignal)) throw error;
      return { ...readyTarget, unreachable: error.message };
    }
    seen = await look();
  }
  const [first] = seen;
  if (first === undefined) return readyTarget;
  const unreachable = (): TargetState => ({ ...readyTarget, unreachable: unreachableReason(target, first) });
  if (isRefusedByProxy(first)) return { ...unreachable(), isMistaken: true };
  if (seen.every(({ response }) => (response?.status ?? 0) >= 500)) return unreachable();
  const mistake = seen.some(accepts) ? null : await mistakeIn(target.baseUrl, seen, lookAt);
  if (mistake !== null) return { ...readyTarget, unreachable: mistake, isMistaken: true };
  if (isAway()) return unreachable();
  if (key === null || listing === undefined || accepts(first) || looksAway(answerOf(first))) return readyTarget;
  const answers = [];
  for (const path of paths) {
    const answer = await ask(path);
    if (accepts(answer)) return readyTarget;
    answers.push(answer);
  }
  const [listed] = answers;
  if (listed === undefined || listed.response === null) return readyTarget;
  const refuse = (refused: string): TargetState => ({ ...readyTarget, refused });
  const words = `it answers "${ownWords(listed)}"`;
  if (target.tenant !== null && accepts(await ask(listing, key, { tenant: null })))
    return refuse(
      `the service does not accept the tenant of TENANT ("${target.tenant}"): ${words} with it, and a success without it; correct TENANT in .env, the environment or with --tenant`,
    );
  // Other refusals may be about the request.
  const isRefusal = ({ response }: Exchange): boolean => response?.status === 401 || response?.status === 403;
  if (!answers.every(isRefusal)) return readyTarget;
  const withoutKey = await Promise.all(open.map((path) => ask(path, null)));
  if (key === 'API_KEY' && withoutKey.every(isRefusal))
    return refuse(
      `BASE_URL is ${target.baseUrl}, which answers "${ownWords(listed)}" to every request, also where no key is needed (GET ${open.join(', GET ')}): is there a proxy that asks for --header 'NAME: VALUE' or CLIENT_CERT?`,
    );
  return refuse(
    `the service does not accept ${key}: ${words} to every operation; is it a ${key === 'API_KEY' ? 'full-access ' : ''}key of this service${target.tenant === null ? '' : ' and of the tenant of TENANT'}?`,
  );
}

/** Throws SettingsError where BASE_URL leads nowhere, before anything else is sent. */
export async function assertAddress(run: Pick<Run, 'targetState' | 'redactor'>): Promise<void> {
  const { unreachable, isMistaken } = await run.targetState();
  if (isMistaken === true) throw new SettingsError(run.redactor.text(unreachable ?? ''));
}

/** Throws SettingsError where BASE_URL leads nowhere, or the service refuses the key or the tenant everywhere. */
export async function assertAccess(run: Pick<Run, 'targetState' | 'redactor'>): Promise<void> {
  await assertAddress(run);
  const { refused } = await run.targetState();
  if (refused !== null) throw new SettingsError(run.redactor.text(refused));
}
