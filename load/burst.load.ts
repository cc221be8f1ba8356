import {
  answersUnderLoad,
  blockWhereWeak,
  defineRequirement,
  nameOf,
  quoteRecords,
  refusalsHaveEnvelope,
  reportViolations,
  triedLimits,
} from '../src/suite.js';

export const LIMIT_02 = defineRequirement({
  id: 'LIMIT-02',
  level: 'MUST',
  source: '§8',
  title: 'requests beyond the burst limit (the larger number, per minute) are refused',
  slow: true,
  body: async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      if (verdict.uncounted !== null)
        check.fail({
          code: 'uncounted',
          field: verdict.trace.subject.plan,
          expected: `${nameOf(verdict)}: one limit for all requests of a key`,
          actual: verdict.uncounted,
        });
    }
    await reportViolations(check, 'LIMIT-02', ['alone', 'beyond', 'burst']);
  },
});

export const LIMIT_04 = defineRequirement({
  id: 'LIMIT-04',
  level: 'MUST',
  source: '§7, §2 Envelope',
  title: 'a refusal is a 429, with a failure envelope unless it is of demo or sandbox',
  slow: true,
  // In a gate, what the other checks met is all there is.
  gateBody: () => Promise.resolve(),
  body: async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const { refused, failed, bare } = answersUnderLoad(verdict);
      for (const status of verdict.refusals.filter((one) => one !== 429)) {
        const others = refused.filter((record) => record.status === status);
        const expected = `${nameOf(verdict)}: 429 for what exceeds the limit`;
        check.fail({
          code: 'refused-otherwise',
          field: verdict.trace.subject.plan,
          expected,
          actual: quoteRecords(verdict, others),
        });
      }
      if (failed.length > 0) {
        const expected = `${nameOf(verdict)}: 429 rather than a server error under load`;
        check.warn({
          code: 'server-error',
          field: verdict.trace.subject.plan,
          expected,
          actual: quoteRecords(verdict, failed),
        });
      }
      if (bare.length > 0) {
        const expected = `${nameOf(verdict)}: {ok: false, error} in every answer that is not a success`;
        check.fail({
          code: 'no-envelope',
          field: verdict.trace.subject.plan,
          expected,
          actual: quoteRecords(verdict, bare, ' without it'),
        });
      }
    }
    blockWhereWeak(check, found);
    if (found.verdicts.every((verdict) => answersUnderLoad(verdict).refused.length === 0))
      return check.blocked('nothing was refused, however much was sent (see LIMIT-02)');
  },
  invariants: [refusalsHaveEnvelope],
});
