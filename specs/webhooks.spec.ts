import { describe, requirement, test } from '../src/suite.js';
import { flagOf } from '../src/target/setting-table.js';
import { certifyReceiver } from '../src/webhook/certify-receiver.js';
import { reportDeliveries, wasPromised } from '../src/webhook/judge-run.js';

/** What to do about an event that has not come. */
const later = ({ waitedSeconds }: { readonly waitedSeconds: number }): string =>
  `it was waited for ${waitedSeconds.toFixed(1)} s, and --wait SECONDS waits longer`;

test('every delivery carries the signature header', requirement('HOOK-01', 'MUST', '§5.6'), async ({ check }) => {
  await reportDeliveries(check, 'HOOK-01');
});

test(
  'the signature is the HMAC-SHA256 of the exact raw body, written the same way in every delivery',
  requirement('HOOK-02', 'MUST', '§5.6, §6'),
  async ({ check }) => {
    const { judgement } = await reportDeliveries(check, 'HOOK-02');
    if (judgement.judged['HOOK-02'] === 0) {
      return check.blocked(
        `no delivery carries a value in ${check.target.signatureHeader} that could be judged (see HOOK-01)`,
      );
    }
  },
);

test(
  'the kind of every event is one of the thirteen, always in the same place',
  requirement('HOOK-03', 'MUST', '§6'),
  async ({ check }) => {
    const { judgement } = await reportDeliveries(check, 'HOOK-03');
    if (judgement.judged['HOOK-03'] === 0)
      return check.blocked('no delivery arrived whole, so that no kind could be read: try again');
  },
);

test(
  'deal.funded carries a deal with a string id and a number totalGross',
  requirement('HOOK-04', 'MUST', '§2, §6'),
  async ({ check }) => {
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-04');
    if (judgement.judged['HOOK-04'] > 0) return;
    if (wasPromised(collected, ['deal.funded']))
      return check.blocked(`deal.funded was triggered and never arrived: ${later(collected)}`);
    return check.notApplicable('no deal.funded event came: set WEBHOOK_TRIGGER, or cause one during --wait SECONDS');
  },
);

test(
  "no tenant's event arrives signed with, or at, another tenant's secret or receiver",
  requirement('HOOK-05', 'MUST', '§5.6'),
  async ({ check }) => {
    const { target } = check;
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-05');
    if (check.breaches.length > 0) return;
    if (!target.otherSigningSecret && target.keys.OTHER_API_KEY === undefined) {
      return check.notApplicable(
        `no second tenant is configured: set OTHER_SIGNING_SECRET (or ${flagOf('OTHER_SIGNING_SECRET')}) and OTHER_API_KEY`,
      );
    }
    if (target.otherSigningSecret === target.signingSecret)
      return check.blocked(
        'SIGNING_SECRET and OTHER_SIGNING_SECRET are equal, so that nothing tells the tenants apart',
      );
    if (judgement.arrivedAtOther > 0) return;
    const promised =
      collected.triggered.some((one) => one.accepted && one.tenant === 'other') &&
      (target.embedded || target.webhookTrigger?.includes('{tenant}'));
    if (promised)
      return check.blocked(`events of the second tenant were triggered and none arrived: ${later(collected)}`);
    if (collected.writes.some(({ tenant }) => tenant === 'other'))
      return check.notApplicable(
        `a record was made with OTHER_API_KEY and no delivery about it came: register ${new URL('/hooks/other', collected.listenedAt).href} for the second tenant`,
      );
    return check.notApplicable(
      'no event of the second tenant came: set OTHER_API_KEY, or cause one during --wait SECONDS, with /hooks/other registered for it',
    );
  },
);

test(
  'every payload meets the schema that the document declares for its kind',
  requirement('HOOK-06', 'DECLARED', '§4, §6'),
  async ({ check }) => {
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
);

test(
  'what emits which event, and how deliveries are repeated',
  requirement('HOOK-07', 'OBSERVE', '§6'),
  async ({ check }) => {
    const { collected, judgement } = await reportDeliveries(check, 'HOOK-07');
    const silent = collected.triggered.filter(
      ({ kind, tenant, accepted }) => accepted && tenant === 'main' && !judgement.seen.has(kind),
    );
    // Where most kinds arrive, their absence is no matter of where the kind stands or of how long was waited.
    if (silent.length < judgement.seen.size)
      for (const one of silent.slice(0, 3))
        check.caution({
          expected: `a delivery of ${one.kind}, which WEBHOOK_TRIGGER accepted`,
          actual: `none arrived: ${later(collected)}`,
          exchanges: [one.exchange],
        });
    for (const { question, observed } of collected.retries) check.observe(question, observed);
    for (const one of collected.triggered.filter((each) => !each.accepted).slice(0, 3))
      check.observe(`Does WEBHOOK_TRIGGER take ${one.kind}?`, `no: ${describe(one.exchange)}`);
  },
);

test(
  'a receiver accepts what is signed correctly and refuses everything else',
  requirement('HOOK-08', 'MUST', '§5.6'),
  async ({ check }) => {
    const { target } = check;
    if (target.webhookReceiver === null)
      return check.notApplicable(
        `no receiver is to be certified: set WEBHOOK_RECEIVER (or ${flagOf('WEBHOOK_RECEIVER')})`,
      );
    if (!target.signingSecret)
      return check.notApplicable(
        `no webhook secret is configured: set SIGNING_SECRET (or ${flagOf('SIGNING_SECRET')})`,
      );
    const url = new URL(target.webhookReceiver);
    const receiver = target.webhookReceiver;
    const secret = target.signingSecret;
    const report = await check.recorded('certified receiver', () =>
      certifyReceiver(receiver, {
        secret,
        otherSecret: target.otherSigningSecret,
        header: target.signatureHeader,
        send: async ({ headers, body }) => {
          const exchange = await check.send({
            method: 'POST',
            base: url.origin,
            path: url.pathname + url.search,
            headers,
            body,
            surface: 'other',
            as: null,
            raw: true,
          });
          return { status: exchange.response?.status ?? null, failure: exchange.failure?.message ?? null, exchange };
        },
      }),
    );
    for (const { severity, expected, actual, exchanges } of report.findings) {
      if (severity === 'breach') check.breach({ expected, actual, exchanges });
      else check.caution({ expected, actual, exchanges });
    }
    for (const { question, observed } of report.observations) check.observe(question, observed);
    if (report.blocked !== null) return check.blocked(report.blocked);
  },
);
