import { asObject } from './values.js';

/** One way in which a record is not what the specification says of its kind. */
export interface RecordFault {
  readonly expected: string;
  readonly actual: string;
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

/** A unit has a string `id` and a string `status` (§2 Unit). */
export function judgeUnit(record: unknown): RecordFault[] {
  const unit = asObject(record);
  if (unit === null) return [{ expected: 'a unit record, a JSON object', actual: show(record) }];
  return ['id', 'status']
    .filter((name) => typeof unit[name] !== 'string')
    .map((name) => ({
      expected: `a string ${name} in every unit`,
      actual: `${name}: ${show(unit[name])} in ${show(unit)}`,
    }));
}

/** A deal has a string `id`, and a number `totalGross` where that is shown (§2). */
export function judgeDeal(record: unknown): RecordFault[] {
  const deal = asObject(record);
  if (deal === null) return [{ expected: 'a deal, a JSON object', actual: show(record) }];
  const faults: RecordFault[] = [];
  if (typeof deal['id'] !== 'string' || deal['id'] === '')
    faults.push({ expected: 'a string id in every deal', actual: `id: ${show(deal['id'])} in ${show(deal)}` });
  const gross = deal['totalGross'];
  if (gross !== undefined && typeof gross !== 'number')
    faults.push({
      expected: 'totalGross to be a number',
      actual: `totalGross: ${show(gross)} in deal ${show(deal['id'])}`,
    });
  return faults;
}
