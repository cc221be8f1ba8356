import { parse as parseYaml } from 'yaml';
import { bundleDocument, type Contract, createContract, memoizeByDocument, parseDocument } from '../openapi/index.js';
import { acceptedTypes, type Client, type Exchange, succeeded } from '../http/index.js';
import { readInput, type Target, wrongFile } from '../settings/index.js';
import type { LoadedContract } from './run.js';

const maxDocumentBytes = 32_000_000;
const mostHops = 5;

/** Compiled validators serve every run over the same document. */
const memoizedContract = memoizeByDocument<Contract>();

/** Why what needs a document is blocked; the same words everywhere, so that it is said once. */
export function noDocument(problem: string | null): string {
  return `there is no OpenAPI document to judge by (see DOC-01): ${problem ?? 'none is served'}`;
}

/** Reads the pinned document, where one is set; throws SettingsError where it cannot be used. */
export function readPinned(target: Target): Record<string, unknown> | null {
  const file = target.contractFile;
  if (file === null) return null;
  const input = { file, by: 'CONTRACT', expected: 'an OpenAPI 3.1 document as JSON' };
  const parsed = parseDocument(readInput(input));
  if (!parsed.ok) throw wrongFile(input, `cannot be used (${parsed.problem})`);
  return parsed.document;
}

/**
 * Fetches the served document (first without a key) with the referenced files of its origin, and creates validators from the pinned
 * document, else from the served one.
 */
export async function loadContract(target: Target, client: Client): Promise<LoadedContract> {
  const url = `${target.baseUrl}/api/openapi.json`;
  const file = readPinned(target);
  const fetchDocument = (name: 'API_KEY' | null, at = url): Promise<Exchange> =>
    client.send('set-up', {
      method: 'GET',
      url: at,
      surface: 'document',
      headers: [['accept', acceptedTypes]],
      credential: name === null ? null : { name, authorization: `Bearer ${target.keys[name] ?? ''}` },
      body: null,
      timeoutMs: 15_000,
      maxBytes: maxDocumentBytes,
    });
  let exchange = await fetchDocument(null);
  let name: 'API_KEY' | null = null;
  for (let hops = 0; hops < mostHops; hops += 1) {
    const status = exchange.response?.status;
    const needsKey = name === null && (status === 401 || status === 403) && target.keys.API_KEY !== undefined;
    const moved = redirectedTo(exchange);
    if (!needsKey && moved === null) break;
    if (needsKey) name = 'API_KEY';
    exchange = await fetchDocument(name, moved ?? exchange.request.url);
  }
  const { served: document, problem } = readServed(exchange);
  const files = new Map<string, Promise<unknown>>();
  const read = (at: string): Promise<unknown> => {
    const known = files.get(at) ?? fetchDocument(name, at).then(readFileAnswer);
    files.set(at, known);
    return known;
  };
  const base = exchange.request.url;
  const whole = async (one: Record<string, unknown> | null): Promise<Record<string, unknown> | null> =>
    one === null ? null : bundleDocument(one, base, read);
  const served = await whole(document);
  // The pinned document was once served at the same place.
  const pinned = await whole(file);
  const used = pinned ?? served;
  const contract =
    used === null ? createContract(null) : await memoizedContract(used, () => Promise.resolve(createContract(used)));
  return { exchange, served, problem, pinned, present: used !== null, contract };
}

/** The target of a redirect within the document's own origin, or null. */
function redirectedTo({ request, response }: Exchange): string | null {
  const location = response?.headers.find(([name]) => name === 'location')?.[1];
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response?.status ?? 0)) return null;
  if (!URL.canParse(location, request.url)) return null;
  const to = new URL(location, request.url);
  return to.origin === new URL(request.url).origin ? to.href : null;
}

/** The value in a file that the document refers to, JSON or YAML; undefined where it cannot be read. */
function readFileAnswer(answer: Exchange): unknown {
  const { served } = readServed(answer);
  if (served !== null || !succeeded(answer) || answer.response?.text == null) return served ?? undefined;
  try {
    const value: unknown = parseYaml(answer.response.text, { maxAliasCount: 100 });
    return value !== null && typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

function readServed(exchange: Exchange): { served: Record<string, unknown> | null; problem: string | null } {
  if (exchange.response === null) return { served: null, problem: exchange.failure?.message ?? 'no answer' };
  if (!succeeded(exchange)) return { served: null, problem: `the status is ${exchange.response.status}` };
  const parsed = parseDocument(exchange.response.body);
  return parsed.ok ? { served: parsed.document, problem: null } : { served: null, problem: parsed.problem };
}
