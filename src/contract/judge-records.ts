import { asObject, quote } from './values.js';

/** One way in which a record is not what the specification says of its kind. */
export interface RecordFault {
  readonly expected: string;
  readonly actual: string;
}

/** A unit has a string `id` and a string `status` (§2 Unit). */
export function judgeUnit(record: unknown): RecordFault[] {
  const unit = asObject(record);
  if (unit === null) return [{ expected: 'a unit record, a JSON object', actual: quote(record) }];
  return ['id', 'status']
    .filter((name) => typeof unit[name] !== 'string')
    .map((name) => ({
      expected: `a string ${name} in every unit`,
      actual: `${name}: ${quote(unit[name])} in ${quote(unit)}`,
    }));
}

/** A deal has a string `id`, and a number `totalGross` where that is shown (§2). */
export function judgeDeal(record: unknown): RecordFault[] {
  const deal = asObject(record);
  if (deal === null) return [{ expected: 'a deal, a JSON object', actual: quote(record) }];
  const faults: RecordFault[] = [];
  if (typeof deal['id'] !== 'string' || deal['id'] === '')
    faults.push({ expected: 'a string id in every deal', actual: `id: ${quote(deal['id'])} in ${quote(deal)}` });
  const gross = deal['totalGross'];
  if (gross !== undefined && typeof gross !== 'number')
    faults.push({
      expected: 'totalGross to be a number',
      actual: `totalGross: ${quote(gross)} in deal ${quote(deal['id'])}`,
    });
  return faults;
}
