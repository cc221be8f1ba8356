import { expect, test } from '@playwright/test';
import { attributesOf } from './otlp-meter.js';
import { pushMetrics } from './push-metrics.js';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';

const cases: readonly (readonly [string, NodeJS.ProcessEnv, RegExp[]])[] = [
  ['no collector', {}, []],
  ['OpenTelemetry switched off', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }, []],
  ['metrics sent elsewhere', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: 'console' }, []],
  [
    'a collector without a scheme',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'key@host:1' },
    [/^\w+ is no http or https URL, [^@]*$/],
  ],
  [
    'gRPC',
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    [/^\w+ is set for the protocol grpc,/],
  ],
];

for (const [what, env, says] of cases)
  test(`nothing is recorded with ${what}`, async () => {
    const warned: string[] = [];
    await using metrics = await pushMetrics(env, (line) => warned.push(line));
    expect(metrics.record).toBeUndefined();
    expect(warned).toEqual(says.map((one) => expect.stringMatching(one) as unknown));
  });

test('a series shows neither ids, queries nor the path and user of the address', () => {
  const request = { plan: 'demo', scenario: 'probe', method: 'GET', status: '503', seconds: 1, isError: true };
  const url = 'https://user:pass@[::1]/tenant/api/x';
  const path = '/tenant/api/x/api/v1/units/one%2Fid?limit=1';
  expect(attributesOf({ ...request, url, path }).duration).toEqual({
    'server.address': '::1',
    'server.port': 443,
    'dealership.plan': 'demo',
    'dealership.scenario': 'probe',
    'http.request.method': 'GET',
    'url.template': '/api/v1/units/{id}',
    'http.response.status_code': 503,
    'error.type': '503',
  });
});
