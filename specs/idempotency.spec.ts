import { judgeConventions, observeKeys } from '../src/idempotency/conventions.js';
import { judgeLateReplays } from '../src/idempotency/late-replay.js';
import { judgeByModel } from '../src/idempotency/model-run.js';
import { judgeNearKeys } from '../src/idempotency/near-keys.js';
import { judgeOtherBodies } from '../src/idempotency/other-body.js';
import { judgePlainReplays } from '../src/idempotency/plain-replay.js';
import { judgeRaces } from '../src/idempotency/races.js';
import { judgeTenants } from '../src/idempotency/tenants.js';
import { requirement, test } from '../src/suite.js';

test(
  'a create that is replayed with its key and body shows the same lead',
  requirement('IDEM-01', 'MUST', '§1, §4.4', { writes: true }),
  async ({ check }) => {
    await judgePlainReplays(check);
  },
);

test(
  'a replay shows the same record even after many other creates',
  requirement('IDEM-02', 'MUST', '§1', { writes: true }),
  async ({ check }) => {
    await judgeLateReplays(check);
  },
);

test(
  'creates with one key at the same time make one lead',
  requirement('IDEM-03', 'MUST', '§1, §4.4', { writes: true }),
  async ({ check }) => {
    await judgeRaces(check);
  },
);

test(
  'another body under a used key never makes or changes a lead',
  requirement('IDEM-04', 'MUST', '§1, §4.4', { writes: true }),
  async ({ check }) => {
    await judgeOtherBodies(check);
  },
);

test(
  'keys that differ in one character are different keys',
  requirement('IDEM-05', 'MUST', '§4.4', { writes: true }),
  async ({ check }) => {
    await judgeNearKeys(check);
  },
);

test(
  "one tenant's key neither shows nor blocks another tenant's lead",
  requirement('IDEM-06', 'MUST', '§4.4, §5.2', { writes: true }),
  async ({ check }) => {
    await judgeTenants(check);
  },
);

test(
  'random sequences of creates agree with a small model of keys',
  requirement('IDEM-07', 'MUST', '§1, §4.4', { writes: true }),
  async ({ check }) => {
    await judgeByModel(check);
  },
);

test(
  'keys in progress, reused and malformed are refused as the draft recommends',
  requirement('IDEM-08', 'SHOULD', 'draft-ietf-httpapi-idempotency-key-header-07 §2.2, §2.6, §2.7', { writes: true }),
  async ({ check }) => {
    await judgeConventions(check);
  },
);

test(
  'how long a key is kept, what uses it up, and whether its case matters',
  requirement('IDEM-09', 'OBSERVE', '§4.4', { writes: true }),
  async ({ check }) => {
    await observeKeys(check);
  },
);
