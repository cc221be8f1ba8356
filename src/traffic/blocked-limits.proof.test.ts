import { expect, test } from '@playwright/test';
import { judgeService, type Judged, type Service } from '../../testing/mutation/judge-service.js';
import { scaledLimits, startReferenceService } from '../../testing/mutation/reference-service.js';
import { serve } from '../loopback.test-kit.js';

const verdictsOf = ({ results }: Judged): Record<string, string> =>
  Object.fromEntries(results.map(({ id, verdict }) => [id, verdict]));
const reasonOf = ({ results }: Judged, id: string): string => results.find((one) => one.id === id)?.reason ?? '';

test('refusals are no violation while another client uses the key', async () => {
  test.setTimeout(120_000);
  const service = await startReferenceService({ limits: scaledLimits(4, 0.4) });
  const { BASE_URL: baseUrl = '', API_KEY_INDEPENDENT: key = '' } = service.settings;
  let over = false;
  const otherClient = async (): Promise<void> => {
    while (!over) {
      await fetch(`${baseUrl}/api/v1/units?limit=1`, { headers: { authorization: `Bearer ${key}` } }).then(
        (answer) => answer.arrayBuffer(),
        () => null,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const using = otherClient();
  const only = ['LIMIT-01', 'LIMIT-02', 'LIMIT-08'];
  const judged = await judgeService(service, { seed: 1, depth: 'certify', sections: ['LIMIT'], only });
  over = true;
  await using;
  expect(verdictsOf(judged)).toMatchObject({ 'LIMIT-01': 'blocked', 'LIMIT-08': 'blocked' });
  expect(verdictsOf(judged)['LIMIT-02']).not.toBe('fail');
  expect(reasonOf(judged, 'LIMIT-01')).toContain('another client uses the key');
});

/** A demo list without any limit that takes its time. */
async function startSlow(answerMs: number): Promise<Service> {
  const server = await serve((_request, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[],"nextCursor":null}');
    }, answerMs);
  });
  return {
    settings: { BASE_URL: server.url, LIMITS_DEMO: '20/1s' },
    register: null,
    close: () => server.close(),
  };
}

test('a limit that could not be exceeded is not called kept, and the reason says what was reached', async () => {
  test.setTimeout(180_000);
  const only = ['LIMIT-02'];
  const options = { seed: 1, depth: 'certify', sections: ['LIMIT'], only } as const;
  const slow = await judgeService(await startSlow(1_200), options);
  expect(verdictsOf(slow)).toEqual({ 'LIMIT-02': 'blocked' });
  expect(reasonOf(slow, 'LIMIT-02')).toMatch(/too little load in \w+: .+; autocannon, another engine, gets \d+/);
  const quick = await judgeService(await startSlow(5), options);
  expect(verdictsOf(quick)).toEqual({ 'LIMIT-02': 'fail' });
});
