import { isSuccess, quote, recordIn, sameJson } from '../../service/index.js';
import { leadForm } from '../../api/index.js';
import { declaredExtras, sourcesOf } from '../../generators/index.js';
import type { Check } from '../../run/index.js';
import { identityOf } from '../lead-answer.js';
import { bodyOf, freshBody, type LeadBody } from '../lead-body.js';
import type { RequestLog } from '../request-log.js';
import { findLead } from '../stored-lead.js';

/** A lead with one field that the document declares and does not require; `source` where it is one of them. */
async function bodyWithOption(check: Check): Promise<{ readonly field: string; readonly body: LeadBody } | null> {
  const { schema, ...form } = await leadForm(check);
  const plain = await freshBody(check, 'a lead');
  const sources = schema.properties.has('source') ? sourcesOf({ schema, ...form }) : [];
  for (const [field, values] of [['source', sources] as const, ...declaredExtras(schema)]) {
    const value = values.find((one) => one !== null && schema.allows({ ...plain.fields, [field]: one }));
    if (value !== undefined && !(field in plain.fields))
      return { field, body: bodyOf(`the lead with ${field}`, { ...plain.fields, [field]: value }, plain.marks, false) };
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
  const shown = isSuccess(first) ? recordIn(first)?.[field] : undefined;
  if (shown === undefined || shown === null) return;
  const replay = await log.settle(key, body);
  const record = isSuccess(replay) && identityOf(replay) === identityOf(first) ? recordIn(replay) : null;
  if (record === null || sameJson(record[field], shown) || sameJson(record[field], body.fields[field])) return;
  if (!(field in record) && !Object.keys(body.fields).some((name) => name in record)) return;
  const now = await findLead(check, first);
  if (now !== null && sameJson(now.record[field] ?? null, record[field] ?? null)) {
    check.observe(`Does a replay show ${field} as it is now?`, 'yes', {
      detail: `${quote(record[field])}, first ${quote(shown)}`,
    });
    return;
  }
  check.fail({
    code: 'field-changed',
    field,
    expected: `the replay to show ${field} unchanged`,
    actual: `${quote(shown)}, then ${quote(record[field])}${now === null ? '' : `, while the lead has ${quote(now.record[field])}`}`,
    exchanges: [first, replay, ...(now === null ? [] : [now.exchange])],
  });
}
