import { expect, test } from '@playwright/test';
import { closing, serve } from '../loopback.test-kit.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from '../run/execute.js';
import { openRun } from '../run/open-run.js';
import { readTarget } from '../settings/read-target.js';
import { ENV_08 } from '../../specs/envelope.spec.js';

/** Judges answers of the unit list, which have these headers in turn, by a document that declares these headers. */
async function judged(
  declared: Record<string, unknown>,
  sent: readonly Record<string, string>[],
): Promise<RequirementResult> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'units', version: '1' },
    paths: { '/api/v1/units': { get: { responses: { '200': { description: 'fine', headers: declared } } } } },
  };
  let requestCount = 0;
  await using service = await serve((request, response) => {
    const list = request.url?.startsWith('/api/v1/units') === true;
    const known = list || request.url === '/api/openapi.json';
    const body = list ? { ok: true, data: { items: [], nextCursor: null } } : document;
    response
      .writeHead(known ? 200 : 404, {
        'content-type': 'application/json',
        ...(list ? sent[requestCount++ % sent.length] : {}),
      })
      .end(JSON.stringify(known ? body : { ok: false, error: {} }));
  });
  await using run = closing(
    openRun(
      readTarget({
        BASE_URL: service.url,
        API_KEY: 'a-key-of-this-test',
      }),
      { seed: 1, nonce: 'n', depth: 'gate' },
    ),
  );
  return await execute(ENV_08, run);
}

const text = { schema: { type: 'string' } };

test('a declared header that no answer carries is a failure where required, and a warning where nothing is said', async () => {
  const verdict = async (declared: object, sent: Record<string, string>[]): Promise<string> =>
    (await judged({ 'X-Trace': { ...text, ...declared } }, sent)).verdict;
  expect(await verdict({ required: true }, [{}])).toBe('fail');
  expect(await verdict({}, [{}])).toBe('warn');
  expect(await verdict({ required: false }, [{}])).toBe('pass');
  expect(await verdict({}, [{ 'x-trace': 'a' }])).toBe('pass');
  expect(await verdict({}, [{ 'x-trace': 'a' }, {}])).toBe('pass');
});
