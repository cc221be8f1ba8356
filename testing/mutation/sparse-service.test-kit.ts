import { serveBodies } from '../../src/loopback.test-kit.js';
import type { RawSettings } from '../../src/settings/setting-table.js';
import type { Service } from './judge-service.js';

type Records = readonly Readonly<Record<string, unknown>>[];

/** What a service without much in it has to show. */
export interface SparseContent {
  readonly units?: Records;
  readonly demo?: Records;
  /** The document; none is served unless given. */
  readonly document?: object;
  /** The least `limit` that is taken; smaller ones are refused. */
  readonly leastLimit?: number;
  /** Whether the listed units have other ids each time, and none can be read by its id. */
  readonly fleeting?: boolean;
  /** Whether there is an empty list of deals; there is unless said otherwise. */
  readonly deals?: boolean;
  /** The only value of the query parameter `ledger` that the list of deals takes. */
  readonly ledger?: string;
  /** Whether production answers 503 to every request with a key. */
  readonly closed?: boolean;
}

/** The only key that a sparse service knows. */
const sparseKey = 'key-of-a-sparse-service';
/** Shows the same as the key of the service. */
export const secondKey = `${sparseKey}-too`;

interface SparseRequest {
  readonly method: string;
  readonly url: URL;
  readonly hasKey: boolean;
  readonly body: string;
}

type Answer = readonly [status: number, body: unknown];

const refused = (status: number): Answer => [status, { ok: false, error: { message: 'no' } }];
const given = (data: unknown): Answer => [200, { ok: true, data }];

let moves = 0;

function listUnits({ units = [], fleeting }: SparseContent, { url }: SparseRequest, limit: number): Answer {
  const status = url.searchParams.get('status');
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const found = units.filter((unit) => status === null || unit['status'] === status);
  const items = found
    .slice(from, from + limit)
    .map((unit) => ({ ...unit, ...(fleeting ? { id: `u${(moves += 1)}m` } : {}) }));
  return given({ items, nextCursor: from + limit < found.length ? String(from + limit) : null });
}

function answer(content: SparseContent, request: SparseRequest): Answer {
  const { pathname, searchParams } = request.url;
  const limit = Number(searchParams.get('limit') ?? 50);
  const tooSmall = !(limit >= (content.leastLimit ?? 1));
  if (pathname === '/api/openapi.json' && content.document !== undefined) return [200, content.document];
  if (pathname === '/api/demo/units' && request.method === 'GET')
    return tooSmall ? refused(400) : [200, (content.demo ?? []).slice(0, limit)];
  if (!/^\/api\/v1\/(units|leads|deals)(\/|$)/.test(pathname)) return refused(404);
  if (!request.hasKey) return refused(401);
  if (content.closed === true) return refused(503);
  if (request.method === 'POST' && pathname === '/api/v1/leads')
    return /^\s*\{[^]*\}\s*$/.test(request.body) ? given({ id: `lead-${(moves += 1)}` }) : refused(400);
  if (request.method !== 'GET') return refused(405);
  if (pathname === '/api/v1/deals' && content.ledger !== undefined && searchParams.get('ledger') !== content.ledger)
    return refused(400);
  if (pathname === '/api/v1/deals' && content.deals !== false) return given({ items: [], nextCursor: null });
  if (pathname === '/api/v1/units') return tooSmall ? refused(400) : listUnits(content, request, limit);
  const one = content.units?.find((unit) => pathname === `/api/v1/units/${String(unit['id'])}`);
  return one === undefined || content.fleeting === true ? refused(404) : given(one);
}

/** Starts an honest service of units, leads and a demo, with no more in it than is given. */
export async function startSparse(
  content: SparseContent,
  settings: RawSettings = {},
): Promise<Service & AsyncDisposable> {
  const server = await serveBodies((request, sent, response) => {
    const [status, body] = answer(content, {
      method: request.method ?? 'GET',
      url: new URL(request.url ?? '/', 'http://127.0.0.1'),
      hasKey: [`Bearer ${sparseKey}`, `Bearer ${secondKey}`].includes(request.headers.authorization ?? ''),
      body: sent.toString(),
    });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return {
    ...server,
    settings: { BASE_URL: server.url, API_KEY: sparseKey, CURSOR_PARAM: 'cursor', ...settings },
    register: null,
  };
}
