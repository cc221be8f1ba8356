import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { AggregationTemporality, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { expect, test } from '@playwright/test';
import { openMeter } from './otlp-meter.js';

test('each request counts in three cumulative metrics, of an instance that the environment may name', async () => {
  const exported: ResourceMetrics[] = [];
  const success = JSON.parse('{"code":0}') as Parameters<Parameters<OTLPMetricExporter['export']>[1]>[0];
  OTLPMetricExporter.prototype.export = (metrics, done): void => {
    exported.push(metrics);
    done(success);
  };
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'service.name=nightly';
  const failures: (string | null)[] = [];
  const { record, shutdown } = openMeter(1_000, (failure) => failures.push(failure));
  const request = { url: 'http://x', plan: 'demo', scenario: 'soak', method: 'GET', path: '/api/demo/units' };
  record({ ...request, status: '200', seconds: 0.02, isError: false });
  record({ ...request, status: 'timeout', seconds: null, isError: true });
  await shutdown();
  Reflect.deleteProperty(OTLPMetricExporter.prototype, 'export');
  delete process.env['OTEL_RESOURCE_ATTRIBUTES'];

  expect(failures).toEqual([null]);
  expect(exported[0]?.resource.attributes).toMatchObject({
    'service.name': 'nightly',
    'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const metrics = exported.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
  expect(new Set(metrics.map((one) => one.aggregationTemporality))).toEqual(
    new Set([AggregationTemporality.CUMULATIVE]),
  );
  expect(
    metrics.map(({ descriptor: { name, unit }, dataPoints }) => ({
      name,
      unit,
      points: dataPoints.map((one) => one.value),
    })),
  ).toMatchObject([
    { name: 'http.client.request.duration', unit: 's', points: [{ count: 1, sum: 0.02 }] },
    { name: 'dealership.load.requests', points: [1, 1] },
    { name: 'dealership.load.errors', points: [1] },
  ]);
});
