import { bodyOf, serve, type Loopback } from '../../loopback.test-kit.js';

/** The fields of a protobuf message by number; numbers are their eight bytes, the lowest first (protobuf.dev, "Encoding"). */
function fieldsOf(bytes: Buffer): (number: number) => readonly Buffer[] {
  const found = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const number = type === 0 ? varint() : 0n;
    const length = type === 0 ? 0 : type === 2 ? Number(varint()) : type === 1 ? 8 : 4;
    const value = type === 0 ? Buffer.from(BigUint64Array.of(number).buffer) : bytes.subarray(at, (at += length));
    found.set(tag >> 3, [...(found.get(tag >> 3) ?? []), value]);
  }
  return (number) => found.get(number) ?? [];
}

const text = (value: Buffer | undefined): string => value?.toString() ?? '';
const whole = (value: Buffer | undefined): number => Number(value?.readBigInt64LE() ?? 0n);
const real = (value: Buffer | undefined): number => value?.readDoubleLE() ?? 0;
const each = (packed: Buffer | undefined): Buffer[] =>
  Array.from(
    { length: (packed?.length ?? 0) / 8 },
    (_, at) => packed?.subarray(8 * at, 8 * at + 8) ?? packed,
  ) as Buffer[];

/** `KeyValue` messages as labels of Prometheus: with underscores. */
function labelsOf(attributes: readonly Buffer[]): Record<string, string> {
  const pairs = attributes.map((one) => {
    const pair = fieldsOf(one);
    const value = fieldsOf(pair(2)[0] ?? Buffer.alloc(0));
    const shown = value(1).length > 0 ? text(value(1)[0]) : String(whole(value(3)[0]));
    return [text(pair(1)[0]).replaceAll('.', '_'), shown] as const;
  });
  return Object.fromEntries(pairs);
}

const sample = (name: string, labels: Record<string, string>, value: number): string =>
  `${name}{${Object.entries(labels)
    .map(([key, one]) => `${key}=${JSON.stringify(one)}`)
    .join(',')}} ${value}`;

/** A `HistogramDataPoint` as samples of Prometheus. */
function histogram(name: string, bytes: Buffer, common: Record<string, string>): string[] {
  const point = fieldsOf(bytes);
  const labels = { ...labelsOf(point(9)), ...common };
  let sum = 0;
  const cumulative = each(point(6)[0]).map((one) => (sum += whole(one)));
  const bounds = [...each(point(7)[0]).map((one) => String(real(one))), '+Inf'];
  return [
    ...bounds.map((le, at) => sample(`${name}_bucket`, { ...labels, le }, cumulative[at] ?? NaN)),
    sample(`${name}_sum`, labels, real(point(5)[0])),
    sample(`${name}_count`, labels, whole(point(4)[0])),
  ];
}

/**
 * The samples of an `ExportMetricsServiceRequest`, by instance, under the names that Prometheus gives them (OpenTelemetry, "Prometheus and
 * OpenMetrics Compatibility"). Throws where a series is not cumulative, or not monotonic.
 */
function samplesOf(request: Buffer): Map<string, readonly string[]> {
  const resources = fieldsOf(request)(1).map((resourceMetrics) => {
    const [resource, scopes] = [fieldsOf(resourceMetrics)(1)[0], fieldsOf(resourceMetrics)(2)];
    const { service_name: job = '', service_instance_id: instance = '' } = labelsOf(fieldsOf(resource ?? request)(1));
    const lines = scopes
      .flatMap((scope) => fieldsOf(scope)(2))
      .flatMap((bytes) => {
        const metric = fieldsOf(bytes);
        const [sum, distribution] = [metric(7)[0], metric(9)[0]];
        const name = `${text(metric(1)[0]).replaceAll('.', '_')}${text(metric(3)[0]) === 's' ? '_seconds' : ''}`;
        const data = fieldsOf(sum ?? distribution ?? Buffer.alloc(0));
        if (whole(data(2)[0]) !== 2 || (sum && whole(data(3)[0]) !== 1)) throw new Error(`${name} is not cumulative`);
        if (distribution) return data(1).flatMap((point) => histogram(name, point, { job, instance }));
        return data(1).map((point) => {
          const number = fieldsOf(point);
          const value = number(6).length > 0 ? whole(number(6)[0]) : real(number(4)[0]);
          return sample(`${name}_total`, { ...labelsOf(number(7)), job, instance }, value);
        });
      });
    return [instance, lines] as const;
  });
  return new Map(resources);
}

/** A collector on loopback that takes OTLP over HTTP as protobuf, and shows the newest of each instance to Prometheus. */
export async function startCollector(): Promise<
  Loopback & { readonly requests: { path: string; headers: NodeJS.Dict<string | string[]> }[]; samples(): string[] }
> {
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const newest = new Map<string, readonly string[]>();
  const samples = (): string[] => [...newest.values()].flat();
  const server = await serve((request, response) => {
    if (request.method === 'GET') return response.end(`${samples().join('\n')}\n`);
    return bodyOf(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      for (const [instance, lines] of samplesOf(body)) newest.set(instance, lines);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  return { ...server, requests, samples };
}
