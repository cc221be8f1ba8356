import type { LoadRequest } from '../../http/index.js';

/** Names and values of labels, as OpenTelemetry spells them; those of this suite begin with `dealership.`. */
export type Attributes = Record<string, string | number>;

/** The metrics of a load. The first is of the semantic conventions for HTTP. */
export const loadMetrics = {
  duration: { name: 'http.client.request.duration', unit: 's', description: 'Duration of HTTP client requests.' },
  requests: { name: 'dealership.load.requests', unit: '{request}', description: 'Requests of a load by outcome.' },
  errors: { name: 'dealership.load.errors', unit: '{request}', description: 'Requests of a load that failed.' },
} as const;

/** Upper bounds of the buckets in seconds: those that the conventions advise, and two below. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** The host alone, so that nothing else of an address is handed on. */
export function serverAttributes(target: string): Attributes {
  if (!URL.canParse(target)) return { 'server.address': target };
  const { hostname, port, protocol } = new URL(target);
  const usual = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': port === '' ? usual : Number(port) };
}

/** The attributes of a count by status, or by the word for what came instead of an answer. */
export function outcomeAttributes(status: string): Attributes {
  const outcome = /^2/.test(status) ? 'accepted' : status === '429' ? 'refused' : /^\d/.test(status) ? 'other' : status;
  return { 'dealership.outcome': outcome, ...statusAttributes(status) };
}

function statusAttributes(status: string): Attributes {
  return /^\d+$/.test(status) ? { 'http.response.status_code': Number(status) } : {};
}

/** `https://host/base/api/v1/units/17?limit=1` → `/api/v1/units/{id}`, as there is no end to ids. */
function urlTemplate(path: string): string {
  const [plain = ''] = path.slice(Math.max(0, path.lastIndexOf('/api/'))).split('?');
  return plain.replace(/^(\/api\/v1\/\w+)\/.+$/, '$1/{id}');
}

/** The attributes of one request in each metric. */
export function attributesOf(request: LoadRequest): Record<keyof typeof loadMetrics, Attributes> {
  const { url, plan, scenario, operation, method, path, status } = request;
  const errors: Attributes = {
    ...serverAttributes(url),
    'dealership.plan': plan,
    'dealership.scenario': scenario,
    ...(operation === undefined ? {} : { 'dealership.operation': operation }),
  };
  const isFailure = !/^[123]/.test(status);
  return {
    errors,
    requests: { ...errors, ...outcomeAttributes(status) },
    duration: {
      ...errors,
      'http.request.method': method,
      'url.template': urlTemplate(path),
      ...statusAttributes(status),
      ...(isFailure ? { 'error.type': status } : {}),
    },
  };
}
