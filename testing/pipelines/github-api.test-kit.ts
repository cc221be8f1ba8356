import { serveBodies, type Loopback } from '../../src/loopback.test-kit.js';

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
}

/** GitHub's API as far as comments on pull request 7 of acme/staging go. */
export async function serveComments(
  comments: Comment[],
  refusal?: { readonly status: number; readonly message: string },
) {
  const requests: string[] = [];
  const server: Loopback = await serveBodies((request, body, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const answer = (status: number, json: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    const text = (): string => (JSON.parse(body.toString()) as { body: string }).body;
    if (request.headers.authorization !== 'Bearer token-of-the-job') return answer(401, { message: 'Bad credentials' });
    if (refusal !== undefined) return answer(refusal.status, { message: refusal.message });
    const [, id] = /^\/repos\/acme\/staging\/issues\/comments\/(\d+)$/.exec(pathname) ?? [];
    if (request.method === 'PATCH' && id !== undefined) {
      const comment = comments.find((one) => one.id === Number(id));
      if (comment === undefined) return answer(404, { message: 'Not Found' });
      comment.body = text();
      return answer(200, comment);
    }
    if (pathname !== '/repos/acme/staging/issues/7/comments') return answer(404, { message: 'Not Found' });
    if (request.method === 'POST') {
      // What GitHub says of a longer one.
      if (text().length > 65_536) return answer(422, { message: 'body is too long (maximum is 65536 characters)' });
      comments.push({ id: 1_000 + comments.length, body: text(), user: { login: 'github-actions[bot]' } });
      return answer(201, comments.at(-1));
    }
    const [page, size] = [Number(searchParams.get('page') ?? 1), Number(searchParams.get('per_page') ?? 30)];
    return answer(200, comments.slice((page - 1) * size, page * size));
  });
  return Object.assign(server, { requests, comments });
}

/** The event of a pull request, from a branch of this repository or from a fork. */
export const pullRequestEvent = (from: 'branch' | 'fork') => ({
  pull_request: {
    number: 7,
    head: { sha: 'abc1234', repo: { full_name: from === 'fork' ? 'stranger/staging' : 'acme/staging' } },
    base: { repo: { full_name: 'acme/staging' } },
  },
});
