import { certifyRecorded, defineRequirement, describe, reportDeliveries, toSet, wasPromised } from '../src/suite.js';

/** The remedy for an event that did not arrive. */
const later = ({ waitedSeconds }: { readonly waitedSeconds: number }): string =>
  `it was waited for ${waitedSeconds.toFixed(1)} s, and --wait SECONDS waits longer`;

export const HOOK_01 = defineRequirement({
  id: 'HOOK-01',
  level: 'MUST',
  source: '§5.6',
  title: 'every delivery carries the signature header',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  body: async ({ check }) => {
    await reportDeliveries(check, 'HOOK-01');
  },
});

export const HOOK_02 = defineRequirement({
  id: 'HOOK-02',
  level: 'MUST',
  source: '§5.6, §6',
  title: 'the signature is the HMAC-SHA256 of the exact raw body, written the same way in every delivery',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  body: async ({ check }) => {
    const { judgement } = await reportDeliveries(check, 'HOOK-02');
    if (judgement.judged['HOOK-02'] === 0) {
      return check.blocked(
        `no delivery carries a value in ${check.target.signatureHeader} that could be judged (see HOOK-01)`,
      );
    }
  },
});

export const HOOK_03 = defineRequirement({
  id: 'HOOK-03',
  level: 'MUST',
  source: '§6',
  title: 'the kind of every event is one of the thirteen, always in the same place',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  body: async ({ check }) => {
    const { judgement } = await reportDeliveries(check, 'HOOK-03');
    if (judgement.judged['HOOK-03'] === 0)
      return check.blocked('no delivery arrived whole, so that no kind could be read: try again');
  },
});

export const HOOK_04 = defineRequirement({
  id: 'HOOK-04',
  level: 'MUST',
  source: '§2, §6',
  title: 'deal.funded carries a deal with a string id and a number totalGross',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  passNeeds: ['WEBHOOK_TRIGGER'],
  body: async ({ check }) => {
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-04');
    if (judgement.judged['HOOK-04'] > 0) return;
    if (wasPromised(collected, ['deal.funded']))
      return check.blocked(`deal.funded was triggered and never arrived: ${later(collected)}`);
    return check.notApplicable(
      'no deal.funded event came',
      toSet('WEBHOOK_TRIGGER'),
      ', or cause one during --wait SECONDS',
    );
  },
});

export const HOOK_05 = defineRequirement({
  id: 'HOOK-05',
  level: 'MUST',
  source: '§5.6',
  title: "no tenant's event arrives signed with, or at, another tenant's secret or receiver",
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  passNeeds: [['OTHER_API_KEY', 'OTHER_SIGNING_SECRET']],
  body: async ({ check }) => {
    const { keys, otherSigningSecret, signingSecret, embedded, webhookTrigger } = check.target;
    const { collected } = await reportDeliveries(check, 'HOOK-05');
    if (!otherSigningSecret && keys.OTHER_API_KEY === undefined)
      return check.notApplicable('no second tenant is configured', toSet('OTHER_SIGNING_SECRET', 'OTHER_API_KEY'));
    if (otherSigningSecret === signingSecret)
      return check.blocked('SIGNING_SECRET and OTHER_SIGNING_SECRET are equal: they cannot tell the tenants apart');
    const isOther = ({ tenant, accepted = true }: { tenant: string; accepted?: boolean }) =>
      tenant === 'other' && accepted;
    if (collected.deliveries.some(isOther)) return;
    if ((embedded || webhookTrigger?.includes('{tenant}')) && collected.triggered.some(isOther))
      return check.blocked(`events of the second tenant were triggered and none arrived: ${later(collected)}`);
    const { href } = new URL('/hooks/other', collected.listenedAt);
    return check.notApplicable(
      `no event of the second tenant came: cause one during --wait SECONDS, with ${href} registered for that tenant`,
    );
  },
});

export const HOOK_06 = defineRequirement({
  id: 'HOOK-06',
  level: 'DECLARED',
  source: '§4, §6',
  title: 'every payload meets the schema that the document declares for its kind',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  optional: 'the document declares no webhooks',
  body: async ({ check }) => {
    const { present } = await check.contract();
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-06');
    if (judgement.unusableSchema !== null) return check.blocked(judgement.unusableSchema);
    if (judgement.judged['HOOK-06'] > 0) return;
    if (!present) return check.notApplicable('there is no document: nothing is declared');
    if (judgement.declared.length === 0)
      return check.notApplicable('the document declares no webhooks for the event kinds');
    if (wasPromised(collected, judgement.declared))
      return check.blocked(
        `events with a declared payload were triggered and none arrived that could be judged: ${later(collected)}`,
      );
    return check.notApplicable(
      `no event came whose payload is declared with a schema (${judgement.declared.join(', ')})`,
    );
  },
});

export const HOOK_07 = defineRequirement({
  id: 'HOOK-07',
  level: 'OBSERVE',
  source: '§6',
  title: 'what emits which event, and how deliveries are repeated',
  needs: ['SIGNING_SECRET', 'WEBHOOK_LISTEN'],
  body: async ({ check }) => {
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-07');
    const taken = collected.triggered.filter(({ tenant, accepted }) => accepted && tenant === 'main');
    const silent = taken.filter(({ kind }) => !judgement.seen.has(kind));
    // If most kinds arrive, neither the place of the kind nor the waiting time explains a missing one.
    for (const { kind, exchange } of silent.length < judgement.seen.size ? silent.slice(0, 3) : []) {
      const expected = `a delivery of ${kind}, which WEBHOOK_TRIGGER accepted`;
      const actual = `none arrived: ${later(collected)}`;
      check.warn({ code: 'no-delivery', field: kind, expected, actual, exchanges: [exchange] });
    }
    for (const { question, observed } of collected.retries) check.observe(question, observed);
    for (const { kind, exchange } of collected.triggered.filter(({ accepted }) => !accepted).slice(0, 3))
      check.observe(`Does WEBHOOK_TRIGGER take ${kind}?`, `no: ${describe(exchange)}`);
  },
});

export const HOOK_08 = defineRequirement({
  id: 'HOOK-08',
  level: 'MUST',
  source: '§5.6',
  title: 'a receiver accepts what is signed correctly and refuses everything else',
  needs: ['WEBHOOK_RECEIVER', 'SIGNING_SECRET'],
  optional: 'a receiver of events is not the service',
  body: async ({ check }) => {
    const { webhookReceiver, signingSecret } = check.target;
    if (webhookReceiver === null || signingSecret === null) return;
    const report = await certifyRecorded(check, webhookReceiver, signingSecret);
    for (const finding of report.findings) check.fail(finding);
    for (const { question, observed } of report.observations) check.observe(question, observed);
    if (report.blocked !== null) return check.blocked(report.blocked);
  },
});
