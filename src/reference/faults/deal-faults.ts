import { fault } from './fault.js';

const vacuous = { 'document-schemas': 'vacuous' } as const;
const noDeals = {
  'DEAL-02': 'no deal can be read',
  'AUTH-02': 'read:deals grants them',
  'AUTH-05': 'full access cannot read deals',
  'VER-01': 'deals are read under both address forms',
};

/** Faults of deals, planned paths and the demo list. */
export const dealFaults = [
  fault('deals-absent', 'DEAL-01', 'deals answer 404', {
    also: { ...noDeals, 'DOC-09': 'a declared operation is absent' },
  }),
  fault('deals-bare', 'DEAL-01', 'deals answer with a bare array', {
    needs: vacuous,
    also: { ...noDeals, 'ENV-01': 'there is no envelope', 'ENV-02': 'there is no envelope' },
  }),
  fault('deals-refused', 'DEAL-01', 'deals answer 403 to full access', { also: noDeals }),
  fault('deal-id-number', 'DEAL-02', 'ids of deals are numbers', { needs: vacuous }),
  fault('deal-total-text', 'DEAL-02', 'totalGross is a text', { needs: vacuous }),
  fault('deal-total-text-on-page-two', 'DEAL-02', 'totalGross is a text on the second page', { needs: vacuous }),
  fault('deal-total-text-when-read', 'DEAL-02', 'totalGross of a deal read by itself is a text', {
    needs: { ...vacuous, 'deal-item': 'get' },
  }),
  fault('deal-id-missing-on-page-three', 'DEAL-02', 'one deal far down the list has no id', { needs: vacuous }),
  fault('deal-total-null', 'DEAL-02', 'totalGross of an open deal is null', { needs: vacuous }),
  fault('planned-desk-alive', 'PLAN-01', 'desking answers 200'),
  fault('planned-desk-alive-for-known-deal', 'PLAN-01', 'desking answers 200 for a deal that exists'),
  fault('planned-desk-put', 'PLAN-01', 'desking answers 202 to PUT only'),
  fault('planned-calls-alive', 'PLAN-02', 'calls answer 200'),
  fault('planned-calls-post', 'PLAN-02', 'calls answer 201 to POST only'),
  fault('planned-calls-alive-for-their-scope', 'PLAN-02', 'calls answer 200 to a key with read:calls'),
  fault('planned-calls-405', 'PLAN-02', 'calls answer 405'),
  fault('planned-transcript-alive', 'PLAN-03', 'a transcript answers 200'),
  fault('planned-transcript-403', 'PLAN-03', 'a transcript answers 403'),
  fault('planned-dispatch-alive', 'PLAN-04', 'dispatching answers 202 to POST only'),
  fault('planned-dispatch-405', 'PLAN-04', 'dispatching answers 405 to GET only'),
  fault('planned-funnel-alive', 'PLAN-05', 'the funnel answers 200'),
  fault('planned-funnel-501', 'PLAN-05', 'the funnel answers 501', {
    also: { 'ENV-06': 'a 5xx is a breach wherever it is seen' },
  }),
  fault('planned-funnel-delete', 'PLAN-05', 'the funnel answers 200 to DELETE only'),
] as const;

const noDemo = {
  'DEMO-02': 'there is no demo list',
  'DEMO-03': 'there is no demo list',
  'DEMO-04': 'there is no demo list',
  'DEMO-05': 'there is no demo list',
  'LIMIT-01': 'demo requests are refused',
  'LIMIT-08': 'demo requests are refused',
  'DOC-09': 'a declared operation does not answer',
  'LIMIT-02': 'demo requests are refused',
};

/** Faults of the demo list. */
export const demoFaults = [
  fault('demo-needs-key', 'DEMO-01', 'the demo list answers 401', { also: noDemo }),
  fault('demo-absent', 'DEMO-01', 'the demo list answers 404', { also: noDemo }),
  fault('demo-limit-needs-key', 'DEMO-01', 'a demo list with a limit answers 401', { also: noDemo }),
  fault('demo-envelope', 'DEMO-02', 'the demo list stands in the envelope', { needs: vacuous }),
  fault('demo-envelope-with-limit', 'DEMO-02', 'a demo list with a limit above 20 stands in the envelope', {
    needs: vacuous,
  }),
  fault('demo-envelope-for-one', 'DEMO-02', 'a demo list of one unit stands in the envelope', {
    needs: vacuous,
  }),
  fault('demo-record-differs', 'DEMO-03', 'one demo record shows another price'),
  fault('demo-nested-differs', 'DEMO-03', 'one demo record stands on another lot'),
  fault('demo-field-missing', 'DEMO-03', 'demo records lack their stock number', { needs: vacuous }),
  fault('demo-nested-field-missing', 'DEMO-03', 'locations of demo records lack their row'),
  fault('demo-field-other-type', 'DEMO-03', 'the year of demo records is a text', { needs: vacuous }),
  fault('demo-field-renamed', 'DEMO-03', 'demo records show price for priceCents', { needs: vacuous }),
  fault('demo-field-added', 'DEMO-03', 'demo records show a margin that production does not (warned of)', {
    needs: vacuous,
    warns: true,
  }),
  fault('demo-limit-ignored', 'DEMO-04', 'the demo list ignores limit'),
  fault('demo-limit-plus-one', 'DEMO-04', 'the demo list holds one unit more than asked for'),
  fault(
    'demo-limit-lost-at-hundred',
    'DEMO-04',
    'the demo list holds more than a hundred units where a hundred are asked for',
  ),
  fault('demo-limit-at-least-five', 'DEMO-04', 'the demo list holds five units at least'),
  fault('demo-post-succeeds', 'DEMO-05', 'a POST to the demo list makes a unit'),
  fault('demo-post-stored', 'DEMO-05', 'a POST to the demo list answers 405 and makes a unit under an id of its own'),
  fault('demo-delete-succeeds', 'DEMO-05', 'a DELETE on a demo unit answers 204'),
  fault('demo-delete-carried-out', 'DEMO-05', 'a DELETE on a demo unit answers 405 and deletes it'),
  fault(
    'demo-delete-of-own-carried-out',
    'DEMO-05',
    'a DELETE on the demo list answers 405 and deletes its first unit',
    {
      needs: { 'demo-data': 'own' },
    },
  ),
  fault('demo-patch-succeeds', 'DEMO-05', 'a PATCH on a demo unit changes it'),
  fault(
    'demo-patch-reaches-production',
    'DEMO-05',
    'a PATCH on a demo unit is refused and changes that of production',
    {
      also: { 'ENV-04': 'production then shows a status that is not declared' },
    },
  ),
  fault(
    'demo-delete-reaches-production',
    'DEMO-05',
    'a DELETE on a demo unit is refused and deletes that of production',
  ),
  fault('demo-lead-taken', 'DEMO-05', 'a lead can be made through the demo'),
  fault('demo-put-succeeds', 'DEMO-05', 'a PUT on the demo list answers 200'),
] as const;
