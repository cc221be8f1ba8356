import { examplesOf, modestSources, type Lead, type LeadForm, type LeadSchema } from './lead-schema.js';
import { isFreeText, isSpecified, refers } from './field-policy.js';
import { nameCandidates, type NamedText, type Strength } from './names.js';
import { alternatives } from '../schema/normalized-schema.js';
import { isWidelyKnown, longestPhones, samplePhones, shortestPhones } from './phones.js';
import { isRecord, type JsonSchema } from '../schema/schema.js';
import { stretch } from '../schema/text.js';

/** A lead to be sent, and what it is there to try. */
export interface LeadCase {
  readonly lead: Lead;
  readonly label: string;
  /** The field that the case is about; only others get values of their own. */
  readonly field: string;
  /** `must`: has to be accepted. `open`: may be refused, but has to be answered. */
  readonly strength: Strength;
  /** The length of the value is what is tried. */
  readonly exact?: true;
}

/** Deterministic leads, the most telling first: each on a boundary of what specification and schema allow; `unknownUnit` is an id that no unit has. */
export function boundariesOf(form: LeadForm, unknownUnit = 'Conformance-NONE'): readonly LeadCase[] {
  const { schema, base } = form;
  const found: LeadCase[] = [];
  const add = (field: string, value: unknown, label: string, strength: Strength, exact = false): void => {
    const lead = { ...base, [field]: value };
    const seen = found.some((other) => other.field === field && other.lead[field] === value);
    if (seen || !schema.allows(lead)) return;
    const demanded = strength === 'must' && !isOrdinarySize(form, lead, exact ? 0 : markBytes) ? 'should' : strength;
    found.push({ lead, field, label: `${field}: ${label}`, strength: demanded, ...(exact ? { exact } : {}) });
  };
  const name = schema.field('name');
  const names = nameCandidates(name.minLength, name.maxLength);
  const phones = phoneCases(String(base['phone']));
  const put = (texts: readonly NamedText[], field: string): void => {
    for (const text of texts) add(field, text.value, text.label, text.strength, text.exact);
  };
  put(names.slice(0, 10), 'name');
  put(phones.slice(0, 6), 'phone');
  found.push(...leadsWithout(form));
  const full = fullLead(form);
  if (Object.keys(full).length > Object.keys(base).length + 1)
    found.push({
      lead: full,
      field: 'all',
      label: 'every optional field with a value that the document names',
      strength: isOrdinarySize(form, full) ? 'must' : 'should',
    });
  for (const value of schema.field('source').values ?? [])
    add('source', value, `declared source ${JSON.stringify(value)}`, 'must');
  if (schema.field('source').values === null)
    for (const value of modestSources.slice(0, 2)) add('source', value, `source ${value}`, 'open');
  for (const unit of form.unitIds.slice(1, 4)) add('vehicleId', unit, 'another unit that exists', 'must');
  put(names.slice(10), 'name');
  put(phones.slice(6), 'phone');
  for (const [property, values] of declaredExtras(schema)) {
    for (const value of values.slice(0, 6)) add(property, value, `declared value ${JSON.stringify(value)}`, 'must');
  }
  for (const { lead, field, label, strength } of boundariesOfExtras(form).slice(0, 12))
    add(field, lead[field], label, strength);
  for (const field of ['phone', 'vehicleId', 'source']) add(field, '', 'empty text', 'open');
  add('undeclaredField', 'x', 'a field that nobody declared', 'open');
  const must = found.filter((one) => one.strength !== 'open');
  const empty = found.filter((one) => one.strength === 'open' && one.lead[one.field] === '');
  const rest = found.filter((one) => one.strength === 'open' && !empty.includes(one));
  const unknown = caseOf(form, 'vehicleId', unknownUnit, 'an id that no unit has', 'open');
  const first = [unknown].filter(({ lead }) => schema.allows(lead));
  return [...first, ...must.slice(0, 30), ...empty, ...must.slice(30), ...rest];
}

/** Ordinary bodies are up to this many times as large as the smallest lead: a service may have a limit of its own. */
const ordinarySize = 4;

/** Bytes that a lead may grow by where it is given a name of its own. */
const markBytes = 40;

export function isOrdinarySize({ base }: LeadForm, lead: Lead, growth = markBytes): boolean {
  const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  return bytes(lead) + growth <= ordinarySize * bytes(base);
}

/** Leads without one optional declared field. A document that requires no field at all does not say which may be omitted. */
function leadsWithout({ schema, base }: LeadForm): readonly LeadCase[] {
  const fields = ['name', 'phone', 'vehicleId'];
  const without = (field: string): Lead => Object.fromEntries(Object.entries(base).filter(([name]) => name !== field));
  const strength = fields.some((field) => !schema.allows(without(field))) ? 'must' : 'should';
  return fields
    .filter((field) => schema.properties.has(field) && schema.allows(without(field)))
    .map((field) => ({ lead: without(field), field, label: `${field}: left out, as the document allows`, strength }));
}

function phoneCases(taken: string): readonly NamedText[] {
  const digits = (phone: string): string => `${String(phone.length - 1)} digits, like ${phone}`;
  const all = [
    longestPhones[0],
    shortestPhones[1],
    ...samplePhones().toSorted((a, b) => a.length - b.length),
    ...longestPhones.slice(1),
    shortestPhones[0],
  ].filter((phone) => phone !== undefined);
  return all.map((value) => ({
    value,
    label: digits(value),
    strength: isWidelyKnown(value, taken) ? 'must' : 'should',
  }));
}

/** The base lead with another value of a field, named in the label. */
const caseOf = (form: LeadForm, field: string, value: unknown, label: string, strength: Strength): LeadCase => ({
  lead: { ...form.base, [field]: value },
  field,
  label: `${field}: ${label}`,
  strength,
});

/**
 * Optional declared fields with values that the document itself names. A made-up text could be meant as a reference
 * to something (a user, a campaign), which a service may refuse for reasons no schema shows.
 */
export function declaredExtras(schema: LeadSchema): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  for (const [name, property] of schema.properties) {
    if (isSpecified(name)) continue;
    const ways = alternatives(property, schema.whole);
    const listed = ways.flatMap((flat) => flat.values ?? []);
    const isFlag = ways.length > 0 && ways.every((flat) => flat.types.size === 1 && flat.types.has('boolean'));
    const values =
      listed.length > 0
        ? listed
        : isFlag
          ? [true, false]
          : examplesOf(schema, name).filter((value) => !isReference(name, value));
    if (values.length > 0) found.set(name, values);
  }
  return found;
}

function isReference(name: string, value: unknown): boolean {
  return refers(name) || isRecord(value) || Array.isArray(value);
}

/** Boundaries of optional declared fields; a text is only demanded where its name says that it is free. */
function boundariesOfExtras(form: LeadForm): readonly LeadCase[] {
  return [...form.schema.properties].flatMap(([field, property]) => {
    if (isSpecified(field)) return [];
    return valuesOnBounds(property, form.schema.whole).map((value) => {
      const isFree = typeof value === 'number' || isFreeText(field);
      const label = typeof value === 'string' ? `${value.length} characters` : `exactly ${JSON.stringify(value)}`;
      // The document names no such value: one that is refused may be refused for what it means.
      return caseOf(
        form,
        field,
        value,
        label,
        isFree && value !== '' && !isReference(field, value) ? 'should' : 'open',
      );
    });
  });
}

/** Texts of the shortest and the longest length, and the least and the greatest number, that a property declares. */
function valuesOnBounds(property: JsonSchema, whole: JsonSchema): readonly unknown[] {
  return alternatives(property, whole)
    .flatMap(({ types, minLength, maxLength, minimum, maximum }) => [
      ...(types.has('string') && maxLength <= 1_000_000
        ? [minLength, maxLength].map((length) => stretch('Ana Example ', length))
        : []),
      ...(types.has('number') || types.has('integer') ? [minimum, maximum].filter(Number.isFinite) : []),
    ])
    .slice(0, 4);
}

/** The base lead with an origin and every optional field that the document gives a value for. */
export function fullLead({ schema, base }: LeadForm): Lead {
  const named = [['source', schema.field('source').values ?? []] as const, ...declaredExtras(schema)];
  return named.reduce<Lead>((full, [name, [value]]) => {
    const next = { ...full, [name]: value };
    return value !== undefined && schema.allows(next) ? next : full;
  }, base);
}
