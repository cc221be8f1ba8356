import * as boundary from '../load/boundary.load.js';
import * as burst from '../load/burst.load.js';
import * as probe from '../load/probe.load.js';
import * as recovery from '../load/recovery.load.js';
import * as sustained from '../load/sustained.load.js';
import * as authentication from '../specs/authentication.spec.js';
import * as credentials from '../specs/credentials.spec.js';
import * as deals from '../specs/deals.spec.js';
import * as demo from '../specs/demo.spec.js';
import * as document from '../specs/document.spec.js';
import * as envelope from '../specs/envelope.spec.js';
import * as idempotency from '../specs/idempotency.spec.js';
import * as leads from '../specs/leads.spec.js';
import * as planned from '../specs/planned.spec.js';
import * as units from '../specs/units.spec.js';
import * as versioning from '../specs/versioning.spec.js';
import * as webhooks from '../specs/webhooks.spec.js';
import type { Pack, Requirement } from './requirement/index.js';

type SpecFile = Readonly<Record<string, Requirement>>;

const inOrder = (sections: readonly SpecFile[]): Requirement[] =>
  sections.flatMap((one) => Object.values(one).toSorted((a, b) => a.id.localeCompare(b.id)));

/** The scenarios that judge limits, and the requirements of each. */
export const scenarioFiles = { boundary, burst, probe, recovery, sustained } as const satisfies Record<
  string,
  SpecFile
>;

/** The suite's own requirements. */
export const suitePack: Pack = {
  name: 'dealership-conformance',
  // In the order of the specification, which reports keep. Requests are measured against the reference service; limits are counted by plan.
  sections: [
    { id: 'DOC', title: 'OpenAPI document', requests: [11], beside: 'both' },
    { id: 'ENV', title: 'Envelope', requests: [24] },
    { id: 'UNIT', title: 'Units', requests: [560, 1_000], beside: 'steady units' },
    { id: 'LEAD', title: 'Leads', requests: [261, 890], beside: 'both' },
    { id: 'IDEM', title: 'Idempotency', requests: [445, 1_500], beside: 'changing units' },
    { id: 'DEAL', title: 'Deals', requests: [11], beside: 'changing units' },
    { id: 'PLAN', title: 'Planned endpoints', requests: [122], beside: 'both' },
    { id: 'DEMO', title: 'Demo API', requests: [63], beside: 'steady units' },
    { id: 'AUTH', title: 'Authentication, scopes, tenants', requests: [519], beside: 'changing units' },
    { id: 'HOOK', title: 'Webhooks', requests: [36] },
    { id: 'LIMIT', title: 'Limits' },
    { id: 'VER', title: 'Versioning', requests: [72], beside: 'changing units' },
  ],
  requirements: inOrder([
    { ...authentication, ...credentials },
    deals,
    demo,
    document,
    idempotency,
    leads,
    planned,
    units,
    versioning,
    webhooks,
    ...Object.values(scenarioFiles),
    // Judged over every answer of the run.
    envelope,
  ]),
};
