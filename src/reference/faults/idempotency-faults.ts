import { fault } from './fault.js';

const anyStatus = { 'document-statuses': 'default' } as const;
const everySequence = { 'IDEM-07': 'random sequences meet it too' };
const always = {
  'IDEM-02': 'late replays are replays',
  'IDEM-03': 'racing replays are replays',
  'IDEM-04': 'keys have no effect',
  'IDEM-07': 'random sequences meet it too',
  'IDEM-08': 'there is nothing to conflict with',
};

/** Faults of idempotency keys. */
export const idempotencyFaults = [
  fault('key-ignored', 'IDEM-01', 'a replay makes another lead', {
    also: { ...always, 'UNIT-11': 'a replayed creation of a unit makes another' },
  }),
  fault('replay-fresh-id', 'IDEM-01', 'a replay shows the same lead under a fresh id', {
    also: {
      'IDEM-02': 'late replays are replays',
      'IDEM-03': 'racing replays are replays',
      ...everySequence,
      'IDEM-04': 'the lead shown is not the one made',
    },
  }),
  fault('replay-refused', 'IDEM-01', 'a replay is refused with a conflict', {
    also: {
      'IDEM-02': 'late replays are replays',
      'IDEM-03': 'the later replay is refused',
      'IDEM-04': 'the first body is refused too',
      ...everySequence,
    },
  }),
  fault('replay-fresh-time', 'IDEM-01', 'a replay shows a fresh creation time (warned of)', { warns: true }),
  fault('replay-other-status', 'IDEM-01', 'a replay answers 200 where the create answered 201 (warned of)', {
    needs: { 'create-status': '201' },
    warns: true,
  }),
  fault('replay-loses-phone', 'IDEM-01', 'a replay shows the lead with another phone', {
    also: {
      'IDEM-02': 'late replays are replays',
      'IDEM-03': 'racing replays are replays',
      ...everySequence,
      'IDEM-04': 'the lead shown is not the one made',
    },
  }),
  fault('replay-without-source', 'IDEM-01', 'a replay shows the lead without its source'),
  fault('second-form-keys-apart', 'IDEM-01', 'each address form remembers keys of its own'),
  fault('key-kept-for-twelve', 'IDEM-02', 'only the last 12 keys are remembered', { also: everySequence }),
  fault('key-kept-for-forty', 'IDEM-02', 'only the last 40 keys are remembered'),
  fault('key-kept-for-two-hundred', 'IDEM-02', 'only the last 200 keys are remembered', { depth: 'certify' }),
  fault('key-kept-for-a-second', 'IDEM-02', 'keys are remembered for one second', { depth: 'certify' }),
  fault('unit-key-ignored', 'IDEM-02', 'creating a unit knows no idempotency', {
    also: { 'UNIT-11': 'a unit is declared to be created with its key' },
  }),
  fault('race-of-five-ms', 'IDEM-03', 'two requests with one key within 5 ms make two leads', { also: everySequence }),
  fault('race-of-two-ms', 'IDEM-03', 'two requests with one key within 2 ms make two leads', { also: everySequence }),
  fault(
    'race-shows-phantom',
    'IDEM-03',
    'a request that meets its key in progress is shown a lead that is never stored',
    { also: everySequence },
  ),
  fault('race-makes-units', 'IDEM-03', 'two requests for a unit with one key within 5 ms make two units'),
  fault('race-crashes', 'IDEM-03', 'a request that meets its key in progress answers 500', {
    needs: anyStatus,
    also: { ...everySequence, 'ENV-06': 'a 5xx is a breach wherever it is seen', 'IDEM-08': '409 is recommended' },
  }),
  fault('other-body-second-lead', 'IDEM-04', 'the same key with another body makes a second lead', {
    also: { ...everySequence, 'IDEM-08': 'a refusal is recommended' },
  }),
  fault('other-body-shown', 'IDEM-04', 'the same key with another body shows the first lead with the second body', {
    also: { ...everySequence, 'IDEM-08': 'a refusal is recommended' },
  }),
  fault('other-body-overwrites', 'IDEM-04', 'the same key with another body changes the first lead', {
    also: {
      ...everySequence,
      'IDEM-01': 'a later replay shows the lead changed',
      'IDEM-08': 'a refusal is recommended',
    },
  }),
  fault('key-kept-per-unit', 'IDEM-04', 'the same key with another unit makes a second lead'),
  fault('other-phone-second-lead', 'IDEM-04', 'the same key with another phone makes a second lead', {
    also: { ...everySequence, 'IDEM-08': 'a refusal is recommended' },
  }),
  fault(
    'refused-body-is-stored',
    'IDEM-04',
    'the same key with another body is refused, and its lead stored all the same',
    { also: everySequence },
  ),
  fault(
    'refused-name-is-stored',
    'IDEM-04',
    'the same key with another body is refused, and the lead renamed all the same',
    { also: everySequence },
  ),
  fault(
    'refused-unit-is-stored',
    'IDEM-04',
    'the same key with another unit is refused, and a second unit stored all the same',
  ),
  fault('key-compared-by-eight', 'IDEM-05', 'keys are compared by their first 8 characters'),
  fault('key-loses-last-character', 'IDEM-05', 'the last character of a key is not compared'),
  fault('key-loses-first-block', 'IDEM-05', 'the first eight characters of a key are not compared'),
  fault('key-loses-fourth-block', 'IDEM-05', 'the fourth block of a key is not compared'),
  fault('key-loses-version', 'IDEM-05', 'the version of a key, which is a UUID, is not compared'),
  fault(
    'leads-joined-by-phone',
    'IDEM-05',
    'a lead with a known phone gives the earlier lead, whatever its name (warned of)',
    {
      warns: true,
    },
  ),
  fault('key-shared-across-tenants', 'IDEM-06', 'a key of one tenant shows the lead of another', {
    also: { ...everySequence, 'AUTH-04': 'another tenant’s lead is shown' },
  }),
  fault('unit-key-shared-across-tenants', 'IDEM-06', 'a key of one tenant shows the unit of another'),
  fault('key-blocks-other-tenant', 'IDEM-06', 'a key of one tenant is refused to another', { also: everySequence }),
  fault('refusal-poisons-key', 'IDEM-07', 'a refused lead leaves its key answering with a lead that was never made'),
  fault('conflict-forgets-key', 'IDEM-07', 'a refused conflict makes the service forget the key', {
    also: { 'IDEM-04': 'a replay after the conflict makes another lead' },
  }),
  fault('third-replay-creates', 'IDEM-07', 'the third replay of a key makes another lead', {
    also: { 'IDEM-01': 'a replay that happens to be the third', 'IDEM-03': 'a race holds several replays' },
  }),
  fault('key-shared-across-routes', 'IDEM-07', 'a key used for a unit answers a lead with that unit', {
    also: { 'IDEM-02': 'keys of another create collide', 'ENV-04': 'the answer is not what is declared for the route' },
  }),
  fault('other-body-403', 'IDEM-08', 'the same key with another body answers 403 (warned of)'),
  fault('in-progress-403', 'IDEM-08', 'a key in progress answers 403 (warned of)'),
  fault('key-not-uuid-accepted', 'IDEM-08', 'a key that is no UUID is accepted (warned of)'),
] as const;
