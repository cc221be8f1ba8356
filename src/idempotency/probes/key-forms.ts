import { isSuccess, paths, quote } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { follow } from '../../openapi/index.js';
import { type Check, describe, randomFrom, seedFor } from '../../run/index.js';
import { brokenBody, freshBody, type breakages, type LeadBody } from '../lead-body.js';
import { identityOf } from '../lead-answer.js';
import type { RequestLog } from '../request-log.js';

/** A key longer than most columns for keys. */
export function longKey(check: Check): string {
  const length = 257 + Math.floor(randomFrom(seedFor(check.run.seed, 'long key'))() * 256);
  return check.fresh('long key').repeat(15).slice(0, length);
}

/** Whether the document declares that the idempotency key of a lead is a UUID. */
export async function declaresUuid(check: Check): Promise<boolean> {
  const { contract } = await check.contract();
  const operation = contract.operation('POST', paths.leads);
  const declared = operation?.parameters.find(({ name }) => /^idempotency-key$/i.test(name));
  return follow(contract.document, declared?.node['schema'], '')?.node['format'] === 'uuid';
}

/** The same fields in another order and spacing. */
export function respell(body: LeadBody): LeadBody {
  const bytes = Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(body.fields).reverse()), null, 1));
  return { ...body, label: 'the same lead in another spelling', bytes };
}

/** A unit that takes one lead, or equal content, is a reason of its own to refuse a body, whatever its key is. */
async function isRefusedAnyway(log: RequestLog, sent: LeadBody): Promise<boolean> {
  return !isSuccess(await log.settle(log.check.fresh('another key'), sent));
}

/** Whether a key and another form of it, sent with one body, are one key, in words. */
export async function compareKeys(
  log: RequestLog,
  body: LeadBody,
  answers: readonly [plain: Exchange, other: Exchange],
  form: string,
): Promise<[observed: string, more?: { readonly detail: string }]> {
  const [plain, other] = answers;
  if (!isSuccess(other)) {
    const why = (await isRefusedAnyway(log, body)) ? 'the same lead under any other key' : form;
    return [`${why} is refused: ${describe(other)}`];
  }
  if (log.traits.shows === 'no id') return ['unknown: the answers show no id'];
  const [one, two] = [identityOf(plain), identityOf(other)];
  const observed = one !== null && one === two ? 'yes, or equal bodies are one lead' : 'no';
  return [observed, { detail: `${quote(one)} and ${quote(two)}` }];
}

/** Observes whether a request that is refused for its body uses up its key. */
export async function observeRefusedKey(log: RequestLog, breakage: (typeof breakages)[number]): Promise<void> {
  const { check } = log;
  const used = check.fresh('refused key');
  const refused = await log.post(used, await brokenBody(check, `a lead with ${breakage}`, breakage));
  if (refused.response === null || isSuccess(refused)) return;
  const own = await freshBody(check, `the lead after ${breakage}`);
  const corrected = await log.post(used, own);
  const answers = `${describe(refused)}, then ${describe(corrected)}`;
  check.observe(
    `Does a refused request use up its key (${breakage})?`,
    isSuccess(corrected)
      ? 'no'
      : (await isRefusedAnyway(log, own))
        ? `unknown, because the lead is refused under another key too: ${answers}`
        : `yes: ${answers}`,
  );
}
