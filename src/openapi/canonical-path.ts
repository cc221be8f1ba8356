/** The face of the service that a path belongs to. */
export type Role = 'units' | 'unit' | 'leads' | 'lead' | 'deals' | 'deal' | 'demo' | 'document' | 'planned' | 'other';

const parameter = '[^/]+';

const production: readonly (readonly [RegExp, Role])[] = [
  [/^\/units$/, 'units'],
  [new RegExp(`^/units/${parameter}$`), 'unit'],
  [/^\/leads$/, 'leads'],
  [new RegExp(`^/leads/${parameter}$`), 'lead'],
  [/^\/deals$/, 'deals'],
  [new RegExp(`^/deals/${parameter}/desk$`), 'planned'],
  [new RegExp(`^/deals/${parameter}$`), 'deal'],
  [/^\/calls$/, 'planned'],
  [new RegExp(`^/calls/${parameter}/transcript$`), 'planned'],
  [/^\/reports\/funnel$/, 'planned'],
  [/^\/[^/{]+\/dispatch$/, 'planned'],
];

/** Any spelling of a path (either address form, below any prefix) as the form below `{base_url}`: `/dealers/v1/units` → `/api/v1/units`. */
export function canonicalPath(path: string): string {
  const clean = path.length > 1 ? path.replace(/(?<!\/)\/+$/, '') : path;
  const demo = /\/demo\/units(\/.*)?$/.exec(clean);
  if (demo && !/\/v1\//.test(clean.slice(demo.index))) return `/api/demo/units${demo[1] ?? ''}`;
  if (/\/openapi\.json$/.test(clean)) return '/api/openapi.json';
  const versioned = /\/v1(\/.*)?$/.exec(firstVersion(clean));
  return versioned ? `/api/v1${versioned[1] ?? ''}` : clean;
}

function firstVersion(path: string): string {
  const found = path.search(/\/v1(\/|$)/);
  const rest = found < 0 ? path : path.slice(found);
  // A server prefix that ends in /v1 and a template that starts with it again mean the same version.
  return rest.replace(/^\/v1(\/api)?\/v1(?=\/|$)/, '/v1');
}

/** The role of a canonical path or template. */
export function roleOf(canonical: string): Role {
  if (canonical === '/api/demo/units') return 'demo';
  if (canonical === '/api/openapi.json') return 'document';
  if (!canonical.startsWith('/api/v1/')) return 'other';
  const rest = canonical.slice('/api/v1'.length);
  return production.find(([pattern]) => pattern.test(rest))?.[1] ?? 'other';
}
