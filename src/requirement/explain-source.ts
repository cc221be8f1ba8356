import type { Level } from './types.js';

/** The meaning of each level, in a sentence. */
export const levelMeanings: Readonly<Record<Level, string>> = {
  MUST: 'the specification, a standard that it names, or the rule of a pack says it: a breach fails',
  DECLARED: "the service's own OpenAPI document says it: a breach fails",
  SHOULD: 'a standard, or the rule of a pack, recommends it where the specification is silent: a breach warns',
  OBSERVE: 'the specification leaves it open: what is seen is recorded, nothing is demanded',
};

/** The subject of each section of the specification. */
const sections: Readonly<Record<string, string>> = {
  '1': 'what the service does',
  '2': 'resources and their fields',
  '4': 'endpoints',
  '4.1': 'GET /api/v1/units',
  '4.2': 'the second operation on /api/v1/units',
  '4.3': '/api/v1/units/{id}',
  '4.4': 'POST /api/v1/leads',
  '4.5': 'the second operation on /api/v1/leads',
  '4.6': '/api/v1/deals',
  '5.1': 'the Authorization header',
  '5.2': 'the X-Tenant header',
  '5.3': 'keys are provisioned by the operator',
  '5.4': 'demo and sandbox need no token',
  '5.5': 'scopes',
  '5.6': 'webhook signatures',
  '6': 'events',
  '7': 'errors',
  '8': 'limits',
  '9': 'versioning',
};

/** A source with its sections of the specification in words; `§` after the name of a standard is a section of that. */
export function explainSource(source: string): string {
  const own = /^(?:§[^,]*(?:, (?=§))?)+/.exec(source)?.[0] ?? '';
  const words = own.replace(/§(\d+(?:\.\d+)?)(?=,|$)/g, (whole, number: string) =>
    sections[number] === undefined ? whole : `${whole} (${sections[number]})`,
  );
  return own === '' ? source : `specification ${words}${source.slice(own.length)}`;
}
