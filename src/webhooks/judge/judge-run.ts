import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { toSet } from '../../settings/index.js';
import { collectDeliveries, type Collected } from '../collect-deliveries.js';
import { type DeliveryRequirement, isAbout } from './hook-report.js';
import { judgeDeliveries, type DeliveryJudgement } from './judge-deliveries.js';

/** The deliveries of this run and what they show; collected and judged once. */
export function judgedDeliveries(
  check: Check,
): Promise<{ readonly collected: Collected; readonly judgement: DeliveryJudgement }> {
  return check.once('judged deliveries', async () => {
    const collected = await collectDeliveries(check);
    const { target } = check;
    const { contract } = await check.contract();
    // Only the secret can verify a signature, and no evidence holds it: the result is stored for readers who lack the secret.
    const judgement = await check.recorded(
      'signatures',
      () =>
        Promise.resolve(
          judgeDeliveries(collected.deliveries, {
            secret: target.signingSecret ?? '',
            otherSecret: target.otherSigningSecret || null,
            header: target.signatureHeader,
            document: contract.document,
            writes: collected.writes,
            tenantSlugs: { main: target.tenant, other: target.otherTenant },
            suspects: Object.entries(target.keys),
          }),
        ),
      ['SIGNING_SECRET', 'OTHER_SIGNING_SECRET'],
    );
    return { collected, judgement };
  });
}

/** The request that caused a delivery, if known, so that a reader can repeat it. */
function causeOf(delivery: number | null, collected: Collected, judgement: DeliveryJudgement): Exchange[] {
  const found = collected.deliveries.find((one) => one.seq === delivery);
  if (found === undefined) return [];
  const write = collected.writes.find((one) => isAbout(found, one));
  if (write?.exchange) return [write.exchange];
  const kind = judgement.kindOf.get(found.seq);
  const trigger = collected.triggered.find((one) => one.kind === kind && one.tenant === found.tenant);
  return trigger === undefined ? [] : [trigger.exchange];
}

/** Reports what a requirement's deliveries show; ends the check where there was nothing to judge. */
export async function reportDeliveries(
  check: Check,
  id: DeliveryRequirement,
): Promise<{ readonly collected: Collected; readonly judgement: DeliveryJudgement }> {
  const judged = await judgedDeliveries(check);
  const { collected, judgement } = judged;
  for (const finding of judgement.findings.filter((one) => one.id === id))
    check[finding.severity]({
      code: finding.code,
      ...(finding.field === undefined ? {} : { field: finding.field }),
      expected: finding.expected,
      actual: finding.actual,
      exchanges: causeOf(finding.delivery, collected, judgement),
    });
  for (const { question, observed } of judgement.observations.filter((one) => one.id === id))
    check.observe(question, observed);
  if (collected.deliveries.length > 0) return judged;
  const caused = collected.triggered.filter((one) => one.accepted).length + collected.writes.length;
  const refused = collected.triggered.filter((one) => !one.accepted);
  const { elsewhere = [] } = collected;
  if (elsewhere.length > 0)
    return check.blocked(
      `nothing arrived at ${collected.listenedAt}, but elsewhere: ${elsewhere.join(', ')}: register that URL, or give its path in WEBHOOK_LISTEN (host:port/path)`,
    );
  if (caused > 0) {
    return check.blocked(
      `${caused} events were caused and none arrived at ${collected.listenedAt} within ${collected.waitedSeconds.toFixed(1)} s: is that URL registered with the service, can it be reached from there, and does --wait SECONDS give it more time?`,
    );
  }
  if (refused.length > 0)
    return check.blocked(
      `the requests to WEBHOOK_TRIGGER were not accepted (first: ${refused[0]?.exchange.response?.status ?? refused[0]?.exchange.failure?.message ?? 'no answer'})`,
    );
  return check.notApplicable(
    'nothing may cause an event',
    toSet('WEBHOOK_TRIGGER'),
    ', or API_KEY without READ_ONLY, or cause events during --wait SECONDS',
  );
}

/** Whether one of the kinds was asked of WEBHOOK_TRIGGER, which said that it would come. */
export function wasPromised(collected: Collected, kinds: readonly string[]): boolean {
  return collected.triggered.some((one) => one.accepted && one.tenant === 'main' && kinds.includes(one.kind));
}
