import { isSuccess } from '../../service/envelope.js';
import { asArray, asObject, quote, sameJson } from '../../service/json.js';
import { leadIn } from '../../api/leads/leads.js';
import { paths } from '../../service/paths.js';
import { follow } from '../../openapi/schema/resolve.js';
import type { Check } from '../../run/check.js';
import { identityOf } from '../lead-answer.js';
import { bodyOf, freshBody, type LeadBody } from '../lead-body.js';
import type { RequestLog } from '../request-log.js';
import { findLead } from '../stored-lead.js';

/** A lead with one field that the document declares and does not require; `source` where it is one of them. */
async function bodyWithOption(check: Check): Promise<{ readonly field: string; readonly body: LeadBody } | null> {
  const { contract } = await check.contract();
  const operation = contract.operation('POST', paths.leads);
  if (operation?.requestPointer == null) return null;
  const schema = follow(contract.document, operation.requestSchema, operation.requestPointer)?.node;
  const properties = asObject(schema?.['properties']) ?? {};
  const required = asArray(schema?.['required']) ?? [];
  const plain = await freshBody(check, 'a lead');
  const names = Object.keys(properties)
    .filter((name) => !required.includes(name) && !(name in plain.fields))
    .sort((a, b) => Number(b === 'source') - Number(a === 'source'));
  for (const field of names) {
    const declared = follow(contract.document, properties[field], '')?.node;
    // Only values that the document names: which others a service takes, no schema shows.
    const named = [
      ...(asArray(declared?.['enum']) ?? []),
      declared?.['const'],
      declared?.['default'],
      declared?.['example'],
    ];
    const usual = field === 'source' && named.every((one) => one === undefined) ? ['website'] : [];
    const value = [...named, ...(asArray(declared?.['examples']) ?? []), ...usual].find(
      (one) => one !== undefined && one !== null,
    );
    const fields = { ...plain.fields, [field]: value };
    if (value !== undefined && contract.validateRequest('POST', paths.leads, fields).length === 0)
      return { field, body: bodyOf(`the lead with ${field}`, fields, plain.marks, false) };
  }
  return null;
}

/**
 * Where the first answer showed an optional field, the replay shows it with the same value or the lead's current one. A replay that shows
 * none of the sent fields has another format and is not judged.
 */
export async function judgeOptionalField(check: Check, log: RequestLog): Promise<void> {
  const chosen = await bodyWithOption(check);
  if (chosen === null) return;
  const { field, body } = chosen;
  const key = check.fresh('key of a lead with an optional field');
  const first = await log.settle(key, body);
  const shown = isSuccess(first) ? leadIn(first)?.[field] : undefined;
  if (shown === undefined || shown === null) return;
  const replay = await log.settle(key, body);
  const record = isSuccess(replay) && identityOf(replay) === identityOf(first) ? leadIn(replay) : null;
  if (record === null || sameJson(record[field], shown) || sameJson(record[field], body.fields[field])) return;
  if (!(field in record) && !Object.keys(body.fields).some((name) => name in record)) return;
  const now = await findLead(check, first);
  if (now !== null && sameJson(now.record[field] ?? null, record[field] ?? null)) {
    check.observe(`Does a replay show ${field} as it is now?`, `yes: ${quote(record[field])}, first ${quote(shown)}`);
    return;
  }
  check.fail({
    expected: `the replay to show ${field} unchanged`,
    actual: `${quote(shown)}, then ${quote(record[field])}${now === null ? '' : `, while the lead has ${quote(now.record[field])}`}`,
    exchanges: [first, replay, ...(now === null ? [] : [now.exchange])],
  });
}
