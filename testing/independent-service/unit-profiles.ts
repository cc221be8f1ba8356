import { integer, listOf, membersOf, objectOf, ref, text, type Json, type JsonObject } from './json.js';

export type UnitProfile = {
  /** JSON Schema of a unit record, as published. */
  schema: JsonObject;
  /** Further named schemas the unit schema refers to. */
  parts: Readonly<Record<string, JsonObject>>;
  /** Every declared status; the last one is carried by no seeded unit. */
  statuses: readonly string[];
  make: (id: string, n: number, status: string) => JsonObject;
  input: Readonly<Record<string, 'string' | 'integer' | 'number'>>;
  inputRequired: readonly string[];
  /** The member that takes all input except the status; the record itself where it is null. */
  within: string | null;
  closed: boolean;
};

/** A member of a unit: its schema, and its value in the unit of this number. */
type Member = readonly [schema: JsonObject, valueOf: (n: number, status: string) => Json];
type Described = Pick<UnitProfile, 'statuses' | 'input'> &
  Partial<UnitProfile> & { readonly members?: Readonly<Record<string, Member>> };

const bare = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name.replace(/\?$/, ''), value]));

/** Every unit has an id and a status; `schema` and `make` follow from the members unless given. */
const profile = ({ members = {}, statuses, ...described }: Described): UnitProfile => {
  const each = <T>(of: (member: Member) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, of(member)]));
  const status = { type: 'string', enum: [...statuses] };
  return {
    ...{ parts: {}, inputRequired: [], within: null, closed: false, statuses },
    schema: objectOf({ id: text, status, ...each(([schema]) => schema) }),
    make: (id, n, own) => bare({ id, status: own, ...each(([, valueOf]) => valueOf(n, own)) }),
    ...described,
  };
};

const makes = ['Ford', 'Škoda', 'Toyota', 'Peugeot', 'Kia', 'Volvo', 'Dacia'] as const;
const models = ['Ranger', 'Octavia', 'Hilux', '308', 'Ceed', 'XC60', 'Duster'] as const;
const colours = ['white', 'black', 'silver', 'blue', 'red'] as const;

const pick = <T>(list: readonly [T, ...T[]], n: number): T => list[n % list.length] ?? list[0];
const vin = (n: number): string => {
  const serial = (n * 7919 + 10007).toString(36).toUpperCase().replace(/[IOQ]/g, 'X');
  return `WV${serial.padStart(6, '0')}${100000000 + n}`.slice(0, 17);
};
const stamp = (n: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, 0) + n * 3_600_000).toISOString();
const money: JsonObject = { type: 'number', minimum: 0 };

export const bareUnit = profile({
  statuses: ['available', 'gone', 'scrapped'],
  input: { status: 'string' },
  inputRequired: ['status'],
});

export const standardUnit = profile({
  statuses: ['available', 'reserved', 'sold', 'wholesale'],
  members: {
    vin: [{ type: 'string', minLength: 5, maxLength: 17 }, vin],
    year: [integer, (n) => 2015 + (n % 11)],
    make: [text, (n) => pick(makes, n)],
    model: [text, (n) => pick(models, n)],
    price: [{ type: 'number' }, (n) => 9900 + n * 450.5],
    mileage: [integer, (n) => 1200 * n],
    createdAt: [{ type: 'string', format: 'date-time' }, stamp],
  },
  input: { make: 'string', model: 'string', year: 'integer', price: 'number', mileage: 'integer', status: 'string' },
  inputRequired: ['make', 'model'],
});

export const closedUnit: UnitProfile = {
  ...standardUnit,
  schema: {
    ...standardUnit.schema,
    additionalProperties: false,
    properties: { ...membersOf(standardUnit.schema['properties']), seller: ref('Seller') },
  },
  parts: {
    Seller: {
      ...objectOf({ name: text, phone: text }),
      description: 'Private seller. Shown to administrators only.',
      additionalProperties: false,
    },
  },
  closed: true,
};

const unique = { ...listOf(text), uniqueItems: true };

export const snakeUnit = profile({
  statuses: ['available', 'on_hold', 'sold', 'in_transit'],
  members: {
    stock_number: [{ type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,}$' }, (n) => `NV-${String(n).padStart(4, '0')}`],
    price_cents: [{ type: ['integer', 'null'] }, (n) => (n % 5 === 0 ? null : 1_000_000 + n * 12_345)],
    currency: [{ const: 'EUR' }, () => 'EUR'],
    options: [unique, (n) => (n % 3 === 0 ? [] : ['tow bar', `colour ${pick(colours, n)}`])],
    'sold_at?': [
      { type: ['string', 'null'], format: 'date-time' },
      (n, status) => (status === 'sold' ? stamp(n) : null),
    ],
  },
  input: { price_cents: 'integer', status: 'string' },
});

export const nestedUnit = profile({
  schema: {
    allOf: [
      ref('Identified'),
      ref('Stateful'),
      objectOf({
        vehicle: ref('Vehicle'),
        pricing: ref('Unit/$defs/Pricing'),
        'attributes?': {
          type: 'object',
          patternProperties: { '^x-[a-z-]+$': { type: ['string', 'number', 'boolean'] } },
          additionalProperties: false,
        },
      }),
    ],
    unevaluatedProperties: false,
    $defs: {
      Pricing: {
        oneOf: [
          {
            ...objectOf({ list: money, currency: { type: 'string', minLength: 3, maxLength: 3 } }),
            additionalProperties: false,
          },
          { ...objectOf({ onRequest: { const: true } }), additionalProperties: false },
        ],
      },
    },
  },
  parts: {
    Identified: objectOf({ id: { type: 'string', format: 'uuid' } }),
    Stateful: objectOf({ status: ref('UnitStatus') }),
    UnitStatus: { type: 'string', enum: ['available', 'pending', 'sold', 'auction'] },
    Vehicle: {
      ...objectOf({ make: text, model: text, year: integer, 'trim?': { type: ['string', 'null'] } }),
      dependentRequired: { trim: ['model'] },
    },
  },
  statuses: ['available', 'pending', 'sold', 'auction'],
  make: (id, n, status) => {
    const [make, model] = [pick(makes, n), pick(models, n)];
    const vehicle = { make, model, year: 2014 + (n % 12), trim: n % 2 === 0 ? null : 'Style' };
    const pricing = n % 6 === 0 ? { onRequest: true } : { list: 15_000 + n * 99, currency: 'EUR' };
    return { id, status, vehicle, pricing, attributes: { 'x-doors': 3 + (n % 3), 'x-towbar': n % 2 === 0 } };
  },
  input: { make: 'string', model: 'string', year: 'integer', status: 'string' },
  inputRequired: ['make', 'model', 'year'],
  within: 'vehicle',
  closed: true,
});

export const polymorphicUnit = profile({
  schema: {
    oneOf: [ref('Car'), ref('Boat')],
    discriminator: {
      propertyName: 'kind',
      mapping: { car: '#/components/schemas/Car', boat: '#/components/schemas/Boat' },
    },
  },
  parts: {
    UnitBase: objectOf({
      id: text,
      status: text,
      kind: text,
      title: text,
      'askingPrice?': { type: ['number', 'null'] },
    }),
    Car: { allOf: [ref('UnitBase'), objectOf({ kind: { const: 'car' }, odometer: integer })] },
    Boat: { allOf: [ref('UnitBase'), objectOf({ kind: { const: 'boat' }, engineHours: { type: 'number' } })] },
  },
  statuses: ['available', 'sold', 'winter-storage'],
  make: (id, n, status) => {
    const [title, isBoat] = [`${pick(makes, n)} №${n}`, n % 3 === 0];
    const kind = isBoat ? { kind: 'boat', engineHours: n * 10.5 } : { kind: 'car', odometer: n * 3100 };
    return { id, status, title, askingPrice: isBoat ? null : 7000 + n, ...kind };
  },
  input: { title: 'string', askingPrice: 'number', status: 'string' },
  inputRequired: ['title'],
});

const pair = { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false };

const wideMembers = Object.fromEntries(
  Array.from({ length: 36 }, (_, at): [string, Member] => [
    `spec${String(at + 1).padStart(2, '0')}`,
    [{ type: ['string', 'number', 'boolean'] }, (n) => [n + at, `value ${at}`, (n + at) % 2 === 0][at % 3] ?? null],
  ]),
);

export const wideUnit = profile({
  statuses: ['available', 'coming-soon', 'sold', 'recalled'],
  members: {
    'headline?': [text, (n) => `“${pick(makes, n)}” – ${pick(colours, n)}, ‘as new’`],
    photos: [
      listOf(objectOf({ url: { type: 'string', format: 'uri' }, 'primary?': { type: 'boolean' } })),
      (n) => Array.from({ length: n % 4 }, (_, at) => ({ url: `https://img.example.test/${n}/${at}.jpg` })),
    ],
    location: [objectOf({ lot: text, geo: pair }), (n) => ({ lot: `L${n % 4}`, geo: [52.1 + n / 1000, 4.3] })],
    history: [listOf(objectOf({ at: text, what: text })), (n) => [{ at: stamp(n), what: 'arrived' }]],
    'dealer?': [
      { anyOf: [{ type: 'object', properties: { city: text } }, { type: 'null' }] },
      (n) => (n % 2 === 0 ? { city: 'Zwolle' } : null),
    ],
    ...wideMembers,
  },
  input: { headline: 'string', status: 'string' },
  inputRequired: ['headline'],
});

export const resourceUnit = profile({
  statuses: ['available', 'optioned', 'delivered', 'written-off'],
  members: {
    type: [{ const: 'unit' }, () => 'unit'],
    attributes: [
      objectOf({ make: text, model: text, 'price?': { type: 'string', pattern: '^[0-9]+\\.[0-9]{2}$' } }),
      (n) => ({ make: pick(makes, n), model: pick(models, n), price: `${8000 + n * 10}.00` }),
    ],
  },
  input: { make: 'string', model: 'string', status: 'string' },
  inputRequired: ['make'],
  within: 'attributes',
});
