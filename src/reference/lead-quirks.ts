import { ApiFailure, crash } from './api-failure.js';
import type { Behaviour } from './behaviour.js';
import { leadSources } from './data/records.js';
import type { Lead } from './data/records.js';

type FaultName = Parameters<Behaviour['has']>[0];
type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const digits = (fields: Fields): number => textOf(fields['phone']).replace(/\D/g, '').length;
const named =
  (pattern: RegExp) =>
  (fields: Fields): boolean =>
    pattern.test(textOf(fields['name']));

/** Bodies that make a fault crash. */
const crashes: readonly (readonly [FaultName, (fields: Fields) => boolean])[] = [
  ['crash-on-astral-name', named(/[\u{10000}-\u{10ffff}]/u)],
  ['crash-on-apostrophe', named(/'/)],
  ['crash-on-percent', named(/%/)],
  ['crash-on-fifteen-digits', (fields) => digits(fields) === 15],
  ['crash-on-empty-string', (fields) => ['name', 'phone', 'vehicleId', 'source'].some((field) => fields[field] === '')],
];

/** Bodies that a fault refuses although they are valid. */
const refusals: readonly (readonly [FaultName, (fields: Fields) => boolean])[] = [
  ['lead-refused', () => true],
  ['source-required', (fields) => fields['source'] === undefined],
  ['source-refused', (fields) => fields['source'] !== undefined],
  ['refuse-astral-name', named(/[\u{10000}-\u{10ffff}]/u)],
  ['refuse-combining-name', named(/\p{M}/u)],
  ['refuse-right-to-left-name', named(/[\p{Script=Hebrew}\p{Script=Arabic}]/u)],
  ['refuse-joined-emoji', named(/\u200d/u)],
  ['refuse-quoted-name', named(/"/)],
  ['refuse-markup-name', named(/[<>]/)],
  ['refuse-one-character-name', (fields) => Array.from(textOf(fields['name'])).length === 1],
  ['refuse-longest-name', (fields) => Array.from(textOf(fields['name'])).length === 200],
  ['refuse-long-name-in-bytes', (fields) => Buffer.byteLength(textOf(fields['name'])) > 200],
  ['refuse-fifteen-digits', (fields) => digits(fields) === 15],
  ['refuse-short-phone', (fields) => digits(fields) < 8],
  ['refuse-one-source', (fields) => fields['source'] === leadSources.at(-1)],
];

/** What a fault takes an invalid body for, before it is validated. */
const leniency: readonly (readonly [FaultName, (fields: Fields) => Fields])[] = [
  ['accept-missing-name', (fields) => (fields['name'] === undefined ? { ...fields, name: 'unknown' } : fields)],
  ['accept-missing-phone', (fields) => (fields['phone'] === undefined ? { ...fields, phone: '+10000000' } : fields)],
  [
    'accept-missing-vehicle',
    (fields) => (fields['vehicleId'] === undefined ? { ...fields, vehicleId: 'none' } : fields),
  ],
  ['accept-empty-name', (fields) => (fields['name'] === '' ? { ...fields, name: 'unknown' } : fields)],
  [
    'accept-long-name',
    (fields) => ({
      ...fields,
      ...(typeof fields['name'] === 'string' ? { name: Array.from(fields['name']).slice(0, 200).join('') } : {}),
    }),
  ],
  [
    'accept-number-name',
    (fields) => (typeof fields['name'] === 'number' ? { ...fields, name: String(fields['name']) } : fields),
  ],
  ['accept-null-vehicle', (fields) => (fields['vehicleId'] === null ? { ...fields, vehicleId: 'none' } : fields)],
  [
    'accept-sixteen-digits',
    (fields) =>
      /^\+[1-9]\d{15,}$/.test(textOf(fields['phone']))
        ? { ...fields, phone: textOf(fields['phone']).slice(0, 16) }
        : fields,
  ],
  [
    'accept-phone-letters',
    (fields) =>
      typeof fields['phone'] === 'string' ? { ...fields, phone: fields['phone'].replace(/[a-z]/gi, '5') } : fields,
  ],
  [
    'accept-long-source',
    (fields) => (typeof fields['source'] === 'string' ? { ...fields, source: fields['source'].slice(0, 20) } : fields),
  ],
  [
    'accept-undeclared-source',
    (fields) =>
      typeof fields['source'] === 'string' && !(leadSources as readonly string[]).includes(fields['source'])
        ? { ...fields, source: leadSources[0] }
        : fields,
  ],
  [
    'accept-extra-fields',
    ({ name, phone, vehicleId, source }) => ({
      ...(name === undefined ? {} : { name }),
      ...(phone === undefined ? {} : { phone }),
      ...(vehicleId === undefined ? {} : { vehicleId }),
      ...(source === undefined ? {} : { source }),
    }),
  ],
];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What a fault stores in place of what was sent. */
const changes: readonly (readonly [FaultName, (lead: Lead) => Partial<Lead>])[] = [
  ['name-cut-at-64', (lead) => ({ name: Array.from(lead.name).slice(0, 64).join('') })],
  ['name-trimmed', (lead) => ({ name: lead.name.trim() })],
  ['name-html-escaped', (lead) => ({ name: lead.name.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter) })],
  ['name-normalised', (lead) => ({ name: lead.name.normalize('NFC') })],
  ['name-loses-astral', (lead) => ({ name: lead.name.replace(/[\u{10000}-\u{10ffff}]/gu, '?') })],
  ['name-blanks-collapsed', (lead) => ({ name: lead.name.replace(/ {2,}/g, ' ') })],
  ['name-lower-cased', (lead) => ({ name: lead.name.toLowerCase() })],
  ['phone-loses-plus', (lead) => ({ phone: lead.phone.replace(/^\+/, '') })],
  ['phone-as-number', (lead) => ({ phone: `+${lead.phone.slice(1, 13)}` })],
  [
    'source-replaced',
    (lead) => (lead.source === null ? {} : { source: lead.source === 'phone' ? 'website' : 'phone' }),
  ],
  ['vehicle-id-upper-cased', (lead) => ({ vehicleId: lead.vehicleId.toUpperCase() })],
];

/** What a fault makes of a body before it is validated; may crash. */
export function beforeValidation(fields: Fields, behaviour: Behaviour): Fields {
  if (crashes.some(([id, meets]) => behaviour.has(id) && meets(fields))) throw crash();
  return leniency.reduce((so, [id, change]) => (behaviour.has(id) ? change(so) : so), fields);
}

/** Refuses a valid body where a fault does. */
export function afterValidation(fields: Fields, behaviour: Behaviour): void {
  if (!refusals.some(([id, meets]) => behaviour.has(id) && meets(fields))) return;
  throw new ApiFailure(Number(behaviour.dial('invalid-status')), 'invalid_lead', 'The lead is not valid.');
}

/** The lead as a fault stores it. */
export function beforeStoring(lead: Lead, behaviour: Behaviour): Lead {
  return changes.reduce((so, [id, change]) => (behaviour.has(id) ? { ...so, ...change(so) } : so), lead);
}
