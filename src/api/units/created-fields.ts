import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  asObject,
  type Difference,
  differences,
  idIn,
  isSuccess,
  paths,
  quote,
  recordIn,
} from '../../service/index.js';
import { removeUnit, unitCreation } from './unit-creation.js';
import { unitsIfReadable } from './known-units.js';

/** Numbers inside objects that were sent and are shown as other numbers. */
export function numbersWithin(sent: unknown, record: Record<string, unknown> | null): Difference[] {
  return differences(sent, record).filter(
    (one) => one.pointer.split('/').length > 2 && typeof one.left === 'number' && typeof one.right === 'number',
  );
}

/** Whether a number is shown as a decimal string, or the reverse: `1` and `"1.0000"`. */
export function isSameNumber(kept: unknown, sent: unknown): boolean {
  const texts = [kept, sent].map(String);
  return (
    typeof kept !== typeof sent && texts.every((text) => /^-?\d+(\.\d+)?$/.test(text)) && Number(kept) === Number(sent)
  );
}

/** Fields that were sent must be kept: a number or a flag as it is, a text but for case, blanks and accents; `status` is the service's own to set. */
export async function judgeSentFields(
  check: Check,
  how: 'created' | 'changed',
  sent: unknown,
  record: Record<string, unknown> | null,
  made: Exchange,
): Promise<void> {
  const others = (await unitsIfReadable(check)).map(asObject);
  const plain = (value: unknown): unknown =>
    typeof value === 'string'
      ? value
          .normalize('NFKD')
          .toLowerCase()
          .replace(/[\s\p{M}-]+/gu, '')
      : value;
  const { contract } = await check.contract();
  // The suite invented fields that the document does not declare; the service need not keep them.
  const say = (name: string, breach: Parameters<Check['fail']>[0]): void => {
    check[contract.declaresField('POST', paths.units, name) ? 'fail' : 'warn'](breach);
  };
  for (const one of numbersWithin(sent, record)) {
    say(one.pointer.split('/')[1] ?? '', {
      expected: `the ${how} unit to keep ${one.pointer}: ${quote(one.left)}`,
      actual: quote(one.right),
      exchanges: [made],
    });
  }
  for (const [name, value] of Object.entries(asObject(sent) ?? {})) {
    if (record === null || name === 'status' || name === 'id' || value === undefined || typeof value === 'object')
      continue;
    const kept = record[name];
    const everywhere = others.length >= 5 && others.every((unit) => unit?.[name] !== undefined && unit[name] !== null);
    const lost = kept === undefined || kept === null;
    if (lost ? !everywhere : plain(kept) === plain(value) || isSameNumber(kept, value) || typeof kept === 'object')
      continue;
    say(name, {
      expected: `the ${how} unit to keep ${name}: ${quote(value)}`,
      actual: lost ? `${name} is not shown, as it is in every other unit` : quote(kept),
      exchanges: [made],
    });
  }
}

/** A unit that the answer to its creation shows is a unit as any other: its status is a text. */
export async function judgeCreatedStatus(check: Check): Promise<void> {
  const creation = check.target.readOnly ? null : await unitCreation(check);
  const body = creation === null ? null : asObject(creation.body(check));
  if (creation === null || body === null) return;
  const made = await creation.attempt(check, { json: body });
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null) return;
  const shown = recordIn(made, id);
  // A receipt may have an id and a status of its own; what shows the fields that were sent is the unit.
  const isUnit = Object.keys(body).some((name) => !['id', 'status'].includes(name) && shown?.[name] !== undefined);
  if (isUnit && shown !== null && 'status' in shown && typeof shown['status'] !== 'string')
    check.fail({
      expected: 'a unit with a string status in the answer to its creation',
      actual: `${describe(made)} shows the status ${quote(shown['status'])}`,
      exchanges: [made],
    });
  await removeUnit(check, id);
}
