import type { Ajv2020 } from 'ajv/dist/2020.js';
import { readPattern } from './patterns.js';

const leap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && leap(year) ? 29 : (days[month - 1] ?? 0));
}

function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d:?\d\d)$/i.test(text);
}

function isPattern(text: string): boolean {
  try {
    readPattern(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Formats that are judged, each by what every reading of it agrees on: JSON Schema 2020-12 makes `format` an annotation, so only
 * values that nobody would take for one are refused. Other formats say nothing.
 */
export function addFormats<A extends Pick<Ajv2020, 'addFormat'>>(ajv: A): A {
  ajv.addFormat('date', isDate);
  ajv.addFormat('date-time', (text: string) => {
    const at = /^(.{10})[t ](.+)$/i.exec(text);
    return at !== null && isDate(at[1] ?? '') && isTime(at[2] ?? '');
  });
  ajv.addFormat('uuid', /^(urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
  ajv.addFormat('uri', /^[a-z][a-z0-9+.-]*:\S+$/i);
  ajv.addFormat('regex', isPattern);
  ajv.addFormat('int32', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 31,
  });
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isInteger(value) });
  return ajv;
}
