import { defineRequirement, judgeLimits, refusalsHaveEnvelope } from '../src/suite.js';

export const LIMIT_02 = defineRequirement({
  id: 'LIMIT-02',
  level: 'MUST',
  source: '§8',
  title: 'requests beyond the burst limit (the larger number, per minute) are refused',
  slow: true,
  body: ({ check }) => judgeLimits(check, 'LIMIT-02'),
});

export const LIMIT_04 = defineRequirement({
  id: 'LIMIT-04',
  level: 'MUST',
  source: '§7, §2 Envelope',
  title: 'a refusal is a 429, with a failure envelope unless it is of demo or sandbox',
  slow: true,
  // In a gate, what the other checks met is all there is.
  gateBody: () => Promise.resolve(),
  body: ({ check }) => judgeLimits(check, 'LIMIT-04'),
  invariants: [refusalsHaveEnvelope],
});
