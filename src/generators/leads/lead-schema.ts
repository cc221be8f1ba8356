import { sample, withDeadline } from '../../openapi/index.js';
import { bundle } from '../schema/bundle.js';
import { alternatives, propertiesOf, propertySchema, type NormalizedSchema } from '../schema/normalized-schema.js';
import { mobilePhones, samplePhones } from './phones.js';
import { GenerationError, isRecord, type JsonSchema } from '../schema/schema.js';
import { isValid } from '../schema/validity.js';

/** A lead as a JSON object. */
export type Lead = Readonly<Record<string, unknown>>;

/** The constraints of one text field in the schema of a lead. */
export interface FieldBounds {
  readonly minLength: number;
  /** Infinity where none is declared. */
  readonly maxLength: number;
  /** The listed values, or null where any are allowed. */
  readonly values: readonly string[] | null;
  /** Values that the document gives as examples. */
  readonly examples: readonly string[];
}

/** The declared schema of a lead, made ready; without one, everything is allowed. */
export interface LeadSchema {
  /** Self-contained, or `true` where nothing is declared. */
  readonly whole: JsonSchema;
  readonly unknownKeywords: readonly string[];
  /** Why a declared schema could not be used, or null. */
  readonly problem: string | null;
  allows(lead: unknown): boolean;
  field(name: string): FieldBounds;
  /** Names of declared properties, whatever branch they stand in. */
  readonly properties: ReadonlyMap<string, JsonSchema>;
}

const unbounded: FieldBounds = {
  minLength: 0,
  maxLength: Infinity,
  values: null,
  examples: [],
};

/** One lead is judged within this time. */
const limitMs = 3_000;

const probe: Lead = { name: 'Ana Example', phone: '+12015550123', vehicleId: 'unit', source: 'web' };

/** Reads the request schema of lead creation; null means that there is no document. Never throws: `problem` names an unusable schema. */
export function readLeadSchema(schema: JsonSchema | null, root: unknown): LeadSchema {
  if (schema === null || schema === true) return usable(true, [], null);
  try {
    const bundled = bundle(schema, root);
    // A schema that applies too many others to a value cannot be used.
    withDeadline(limitMs, () => [{}, probe].map((lead) => isValid(bundled.schema, lead)));
    if (alternatives(bundled.schema, bundled.schema).length === 0)
      throw new GenerationError('The schema allows nothing.');
    return usable(bundled.schema, bundled.unknownKeywords, null);
  } catch (error) {
    return usable(true, [], error instanceof Error ? error.message : String(error));
  }
}

function usable(whole: JsonSchema, unknownKeywords: readonly string[], problem: string | null): LeadSchema {
  const ways = whole === true ? [] : alternatives(whole, whole).filter((one) => one.types.has('object'));
  const fields = new Map<string, FieldBounds>();
  return {
    whole,
    unknownKeywords,
    problem,
    properties: propertiesOf(whole, whole),
    allows: (lead) => whole === true || isValid(whole, lead),
    field(name) {
      const known = fields.get(name) ?? boundsOf(ways, whole, name);
      fields.set(name, known);
      return known;
    },
  };
}

function boundsOf(ways: readonly NormalizedSchema[], whole: JsonSchema, name: string): FieldBounds {
  const inner = ways
    .filter((way) => way.properties.has(name))
    .flatMap((way) => alternatives(propertySchema(way, name), whole))
    .filter((way) => way.types.has('string'));
  const [first] = inner;
  if (!first) return unbounded;
  const texts = (values: readonly unknown[]): readonly string[] =>
    values.filter((value): value is string => typeof value === 'string');
  const listed = inner.every((way) => way.values !== null) ? texts(inner.flatMap((way) => way.values ?? [])) : null;
  return {
    minLength: Math.max(...inner.map((way) => way.minLength)),
    maxLength: Math.min(...inner.map((way) => way.maxLength)),
    values: listed,
    examples: texts(inner.flatMap((way) => way.examples)),
  };
}

/** How leads are made: what the document allows, the units they may be about, and a lead that every other one varies. */
export interface LeadForm {
  /** The request schema as declared, or null. */
  readonly declared: JsonSchema | null;
  readonly schema: LeadSchema;
  readonly unitIds: readonly string[];
  /** The body of LEAD_BODY, or the smallest lead that the schema allows. */
  readonly base: Lead;
}

/** The form of a declared lead; where no lead with the specification's fields meets the schema, the specification alone counts. */
export function leadFormOf(
  declared: JsonSchema | null,
  document: unknown,
  unitIds: readonly string[],
  given: Lead | null = null,
): LeadForm {
  const schema = readLeadSchema(declared, document);
  const vehicleId = unitIds[0] ?? 'unknown-unit';
  const base = given === null ? smallestLead(schema, vehicleId) : { vehicleId, ...given };
  return base === null ? { ...leadFormOf(null, null, unitIds), declared } : { declared, schema, unitIds, base };
}

/** Tokens that a free-form origin may be; a service may still have a list of its own. */
export const modestSources: readonly string[] = 'website web phone referral walk-in other sdk api'.split(' ');

/** Sources that the document allows: those that it lists, or else its examples and then the usual ones. */
export function sourcesOf(
  { schema, base }: Pick<LeadForm, 'schema' | 'base'>,
  usual = modestSources,
): readonly string[] {
  const { values, examples } = schema.field('source');
  return [...new Set(values ?? [...examples, ...usual])].filter((source) => schema.allows({ ...base, source }));
}

/** The smallest valid lead that the schema allows, for the given unit; null where none could be built. */
function smallestLead(schema: LeadSchema, vehicleId: string): Lead | null {
  const phones = ['+12015550123', ...samplePhones(), ...mobilePhones(), ...schema.field('phone').examples];
  const names = ['Ana Example', 'Ana', ...schema.field('name').examples];
  const tries = phones.map((phone) => ({ name: names[0], phone, vehicleId }));
  const plain = [...tries, ...names.map((name) => ({ name, phone: phones[0], vehicleId }))].find((lead) =>
    schema.allows(lead),
  );
  if (plain) return plain;
  const samples = sampleLeads(schema, 16);
  const merged = samples.flatMap((sample) => [
    ...phones.map((phone) => ({ ...sample, name: names[0], phone, vehicleId })),
    ...(typeof sample['phone'] === 'string'
      ? [
          { ...sample, name: names[0], vehicleId },
          { ...sample, vehicleId },
        ]
      : []),
  ]);
  const found = merged.filter((lead) => schema.allows(lead)).map((lead) => simplest(schema, lead));
  return found.sort((a, b) => Object.keys(a).length - Object.keys(b).length)[0] ?? null;
}

/** Fixed valid samples of the declared schema: of each of its branches, with as little in them as it requires, and with all that it declares. */
export function sampleLeads(schema: LeadSchema, count: number): readonly Lead[] {
  if (schema.whole === true) return [];
  const made = Array.from({ length: count }, (_, index) =>
    sample(schema.whole, '', {
      document: schema.whole,
      like: [],
      unique: `lead ${String(index)}`,
      alternative: index >> 1,
      budget: { left: 500 },
      includes: () => index % 2 === 1,
    }),
  );
  return made.filter(isRecord).filter((lead) => schema.allows(lead));
}

/** The lead without what may be left out, and with the document's own examples in place of made-up values, where they are valid. */
function simplest(schema: LeadSchema, lead: Lead): Lead {
  let simpler = lead;
  for (const name of Object.keys(lead)) {
    if (name === 'name' || name === 'phone' || name === 'vehicleId') continue;
    const { [name]: _, ...rest } = simpler;
    const tries = [rest, ...examplesOf(schema, name).map((example) => ({ ...simpler, [name]: example }))];
    simpler = tries.find((next) => schema.allows(next)) ?? simpler;
  }
  return simpler;
}

/** Examples, default and listed values that the document gives for a property. */
export function examplesOf(schema: LeadSchema, name: string): readonly unknown[] {
  const property = schema.properties.get(name);
  if (property === undefined) return [];
  return alternatives(property, schema.whole).flatMap((one) => [...one.examples, ...(one.values ?? [])]);
}
