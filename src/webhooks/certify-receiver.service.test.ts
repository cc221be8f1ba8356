import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@playwright/test';
import { serve, bodyOf } from '../loopback.test-kit.js';
import { createTraceContext } from '../http/trace-context.js';
import { startForwardProxy } from '../proxy.test-kit.js';
import { readTarget } from '../settings/read-target.js';
import { certifyReceiver, type ReceiverReport } from './certify-receiver.js';
import { createListener } from './listener.js';
import { end, header, hex, otherSecret, secret } from './test-kit.js';

type Accepts = (
  body: Buffer,
  signature: string,
  request: IncomingMessage,
) => boolean | number | Promise<boolean | number>;

/** Certifies a receiver that accepts what a function says. */
async function certify(accepts: Accepts, settings: { secret?: string; header?: string } = {}): Promise<ReceiverReport> {
  const name = settings.header ?? header;
  await using server = await serve((request, response) => {
    bodyOf(request)
      .then(async (body) => accepts(body, String(request.headers[name.toLowerCase()] ?? ''), request))
      .then(
        (said) => end(response, typeof said === 'number' ? said : said ? 200 : 401),
        () => end(response, 401),
      );
  });
  return await certifyReceiver(`${server.url}/hook`, { secret, otherSecret, header: name, ...settings });
}

const breaches = (report: ReceiverReport): string[] => report.findings.map(({ expected }) => expected);
const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const isRight = (body: Buffer, value: string): boolean => same(value, hex(secret, body));

test('the listener of this package passes', async () => {
  const heard: string[] = [];
  const listener = createListener({ secret }).on('deal.funded', (deal, event) => {
    heard.push(`${event.kind} ${deal.id} ${deal.totalGross.toFixed(2)}`);
  });
  await using server = await serve(listener.handler);
  const report = await certifyReceiver(server.url, { secret, otherSecret, header });
  expect(report).toMatchObject({ blocked: null, findings: [] });
  expect(heard).toHaveLength(3);
  expect(heard[0]).toMatch(/^deal\.funded deal_\w+ 41250\.50$/);
});

test('deliveries go through the proxy of the settings, each with a span of its own', async () => {
  await using proxy = await startForwardProxy();
  const { network } = readTarget({ BASE_URL: 'http://x', PROXY: proxy.url });
  const traced: string[] = [];
  await using server = await serve((request, response) => {
    traced.push(String(request.headers['traceparent']));
    void bodyOf(request).then((body) =>
      end(response, isRight(body, String(request.headers[header.toLowerCase()])) ? 200 : 401),
    );
  });
  const trace = createTraceContext('nonce');
  const report = await certifyReceiver(server.url, { secret, otherSecret, header, network, trace });
  expect(report.blocked).toBeNull();
  expect(traced.length).toBeGreaterThan(6);
  expect(proxy.seen).toHaveLength(traced.length);
  expect(traced).toEqual(traced.map((_, at) => trace.header(at + 1)));
});

const right: Record<string, Accepts> = {
  hex: isRight,
  'sha256= and hex': (body, value) => same(value, `sha256=${hex(secret, body)}`),
  base64: (body, value) => same(value, createHmac('sha256', secret).update(body).digest('base64')),
  base64url: (body, value) => same(value, createHmac('sha256', secret).update(body).digest('base64url')),
  'upper-case hex': (body, value) => same(value, hex(secret, body).toUpperCase()),
  'a time stamp beside it': (body, value) => same(/^t=\d+,v1=(\w+)$/.exec(value)?.[1] ?? '', hex(secret, body)),
  'type and data only': (body, value) => {
    const event = JSON.parse(body.toString()) as Record<string, unknown>;
    return isRight(body, value) && event['kind'] === undefined && typeof event['data'] === 'object';
  },
};
for (const [name, accepts] of Object.entries(right)) {
  test(`a right receiver is certified: ${name}`, async () => {
    expect(await certify(accepts)).toMatchObject({ blocked: null, findings: [] });
  });
}

const parsed = (body: Buffer): string => {
  try {
    return JSON.stringify(JSON.parse(body.toString()));
  } catch {
    return body.toString();
  }
};
const wrong: Record<string, readonly [accepts: Accepts, because: RegExp]> = {
  'accepts everything': [() => true, /another secret/],
  'refuses everything': [() => false, /a correctly signed event/],
  'never looks at the signature beyond its presence': [(_body, value) => value !== '', /changed body/],
  'accepts an absent header': [(body, value) => value === '' || isRight(body, value), /no signature/],
  'serialises again before verifying': [(body, value) => same(value, hex(secret, parsed(body))), /another spelling/],
  'compares a prefix': [(body, value) => value !== '' && hex(secret, body).startsWith(value), /half a signature/],
  'compares only bytes that decode': [
    (body, value) => {
      const given = Buffer.from(value, 'hex');
      return given.equals(createHmac('sha256', secret).update(body).digest().subarray(0, given.length));
    },
    /half a signature|no signature/,
  ],
  "accepts the other tenant's secret": [
    (body, value) => isRight(body, value) || same(value, hex(otherSecret, body)),
    /another secret/,
  ],
  'accepts a plain hash': [(body, value) => isRight(body, value) || value.length === 64, /another secret/],
};
for (const [name, [accepts, because]] of Object.entries(wrong)) {
  test(`a wrong receiver is refused: ${name}`, async () => {
    const report = await certify(accepts);
    expect(report.blocked).toBeNull();
    expect(breaches(report).join('; ')).toMatch(because);
  });
}

test('a receiver that is gone, silent, busy or dying is blocked, with the reason', async () => {
  const server = await serve(() => undefined);
  expect((await certifyReceiver(server.url, { secret, header, timeoutMs: 100 })).blocked).toMatch(
    /does not answer: no complete answer/,
  );
  await server.close();
  expect((await certifyReceiver(server.url, { secret, header })).blocked).toMatch(/does not answer/);
  expect((await certify(() => 429)).blocked).toMatch(/too busy/);
  let left = 6;
  expect((await certify((body, value) => ((left -= 1) > 0 ? isRight(body, value) : 410))).blocked).toMatch(
    /stopped accepting/,
  );
});

test('redirects and server errors accept nothing', async () => {
  for (const status of [307, 500])
    expect(breaches(await certify(() => status))).toEqual([expect.stringContaining('a correctly signed event')]);
  expect(await certify((body, value) => (isRight(body, value) ? 200 : 500))).toMatchObject({ findings: [] });
});
