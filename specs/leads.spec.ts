import { judgeAcceptance } from '../src/generate/acceptance.js';
import { judgeMissingPlus, observeLeads } from '../src/generate/open-questions.js';
import { judgeOrigins } from '../src/generate/origins.js';
import { judgePlainLeads } from '../src/generate/plain-leads.js';
import { judgeRefusals } from '../src/generate/refusal.js';
import { judgeRoundTrip } from '../src/generate/round-trip.js';
import { judgeSurvival } from '../src/generate/survival.js';
import { judgeLeadChange } from '../src/api/lead-change.js';
import { requirement, test } from '../src/suite.js';

test(
  'a lead with name, phone and vehicleId is created',
  requirement('LEAD-01', 'MUST', '§2 Lead, §4.4', { writes: true }),
  async ({ check }) => {
    await judgePlainLeads(check);
  },
);

test(
  'the source of a lead may be left out or given',
  requirement('LEAD-02', 'MUST', '§2 Lead, §4.4', { writes: true }),
  async ({ check }) => {
    await judgeOrigins(check);
  },
);

test(
  'every lead that the specification and the declared schema allow is taken',
  requirement('LEAD-03', 'MUST', '§2 Lead, §4.4', { writes: true }),
  async ({ check }) => {
    await judgeAcceptance(check);
  },
);

test(
  'a lead that breaks the declared schema in one place is refused',
  requirement('LEAD-04', 'DECLARED', '§4.4, §4 Specification endpoint', { writes: true }),
  async ({ check }) => {
    await judgeRefusals(check);
  },
);

test(
  'hostile bytes get an envelope below 500, and the service goes on answering',
  requirement('LEAD-05', 'MUST', '§7, RFC 9110 §15.6', { writes: true }),
  async ({ check }) => {
    await judgeSurvival(check);
  },
);

test(
  'a phone without its leading plus is refused',
  requirement('LEAD-06', 'SHOULD', '§2 Lead', { writes: true }),
  async ({ check }) => {
    await judgeMissingPlus(check);
  },
);

test(
  'what was sent comes back without loss wherever it is shown',
  requirement('LEAD-07', 'DECLARED', '§2 Lead, §4.5', { writes: true }),
  async ({ check }) => {
    if (check.run.path === null) await judgeLeadChange(check);
    await judgeRoundTrip(check);
  },
);

test(
  'what the specification leaves open about leads is recorded',
  requirement('LEAD-08', 'OBSERVE', '§2 Lead, §4.4', { writes: true }),
  async ({ check }) => {
    await observeLeads(check);
  },
);
