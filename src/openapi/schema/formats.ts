import type { Ajv2020 } from 'ajv/dist/2020.js';

/** Whether a text is a day that the calendar has: `Date` reads February 30 as a day in March, or not at all. */
function isDate(text: string): boolean {
  const date = new Date(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d:?\d\d)$/i.test(text);
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
  ajv.addFormat('int32', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 31,
  });
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isInteger(value) });
  return ajv;
}
