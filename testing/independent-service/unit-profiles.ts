import { integer, listOf, objectOf, ref, text, type JsonObject } from './json.js';

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
  /** A required member other than id and status, if any. */
  probe: string | null;
  closed: boolean;
};

type Described = Pick<UnitProfile, 'schema' | 'statuses' | 'make' | 'input'>;

const profile = (described: Described & Partial<UnitProfile>): UnitProfile => ({
  ...{ parts: {}, inputRequired: [], within: null, probe: null, closed: false },
  ...described,
});

const makes = ['Ford', 'Škoda', 'Toyota', 'Peugeot', 'Kia', 'Volvo', 'Dacia'] as const;
const models = ['Ranger', 'Octavia', 'Hilux', '308', 'Ceed', 'XC60', 'Duster'] as const;
const colours = ['white', 'black', 'silver', 'blue', 'red'] as const;

const pick = <T>(list: readonly [T, ...T[]], n: number): T => list[n % list.length] ?? list[0];
const vin = (n: number): string =>
  `WV${(n * 7919 + 10007).toString(36).toUpperCase().replace(/[IOQ]/g, 'X').padStart(6, '0')}${String(100000000 + n)}`.slice(
    0,
    17,
  );
const stamp = (n: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, 0) + n * 3_600_000).toISOString();
const money: JsonObject = { type: 'number', minimum: 0 };

export const bareUnit = profile({
  schema: objectOf({ id: text, status: text }),
  statuses: ['available', 'gone', 'scrapped'],
  make: (id, _n, status) => ({ id, status }),
  input: { status: 'string' },
  inputRequired: ['status'],
});

const standardProperties: JsonObject = {
  id: text,
  vin: { type: 'string', minLength: 5, maxLength: 17 },
  year: integer,
  make: text,
  model: text,
  price: { type: 'number' },
  mileage: integer,
  status: { type: 'string', enum: ['available', 'reserved', 'sold', 'wholesale'] },
  createdAt: { type: 'string', format: 'date-time' },
};

export const standardUnit = profile({
  schema: objectOf(standardProperties),
  statuses: ['available', 'reserved', 'sold', 'wholesale'],
  make: (id, n, status) => ({
    id,
    vin: vin(n),
    year: 2015 + (n % 11),
    make: pick(makes, n),
    model: pick(models, n),
    price: 9900 + n * 450.5,
    mileage: 1200 * n,
    status,
    createdAt: stamp(n),
  }),
  input: { make: 'string', model: 'string', year: 'integer', price: 'number', mileage: 'integer', status: 'string' },
  inputRequired: ['make', 'model'],
  probe: 'price',
});

export const closedUnit = profile({
  ...standardUnit,
  schema: {
    ...standardUnit.schema,
    additionalProperties: false,
    properties: { ...standardProperties, seller: ref('Seller') },
  },
  parts: {
    Seller: {
      ...objectOf({ name: text, phone: text }),
      description: 'Private seller. Shown to administrators only.',
      additionalProperties: false,
    },
  },
  closed: true,
});

export const snakeUnit = profile({
  schema: {
    ...objectOf(
      {
        id: { type: 'string', pattern: '^[0-9]+$' },
        stock_number: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,}$' },
        status: { type: 'string', enum: ['available', 'on_hold', 'sold', 'in_transit'] },
        price_cents: { type: ['integer', 'null'] },
        currency: { const: 'EUR' },
        options: { ...listOf(text), uniqueItems: true },
        sold_at: { type: ['string', 'null'], format: 'date-time' },
      },
      ['sold_at'],
    ),
    additionalProperties: true,
  },
  statuses: ['available', 'on_hold', 'sold', 'in_transit'],
  make: (id, n, status) => ({
    id,
    stock_number: `NV-${String(n).padStart(4, '0')}`,
    status,
    price_cents: n % 5 === 0 ? null : 1_000_000 + n * 12_345,
    currency: 'EUR',
    options: n % 3 === 0 ? [] : ['tow bar', `colour ${pick(colours, n)}`],
    sold_at: status === 'sold' ? stamp(n) : null,
  }),
  input: { price_cents: 'integer', status: 'string' },
  probe: 'options',
});

export const nestedUnit = profile({
  schema: {
    allOf: [
      ref('Identified'),
      ref('Stateful'),
      objectOf(
        {
          vehicle: ref('Vehicle'),
          pricing: ref('Unit/$defs/Pricing'),
          attributes: {
            type: 'object',
            patternProperties: { '^x-[a-z-]+$': { type: ['string', 'number', 'boolean'] } },
            additionalProperties: false,
          },
        },
        ['attributes'],
      ),
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
      ...objectOf({ make: text, model: text, year: integer, trim: { type: ['string', 'null'] } }, ['trim']),
      dependentRequired: { trim: ['model'] },
    },
  },
  statuses: ['available', 'pending', 'sold', 'auction'],
  make: (id, n, status) => ({
    id,
    status,
    vehicle: {
      make: pick(makes, n),
      model: pick(models, n),
      year: 2014 + (n % 12),
      trim: n % 2 === 0 ? null : 'Style',
    },
    pricing: n % 6 === 0 ? { onRequest: true } : { list: 15_000 + n * 99, currency: 'EUR' },
    attributes: { 'x-doors': 3 + (n % 3), 'x-colour': pick(colours, n), 'x-towbar': n % 2 === 0 },
  }),
  input: { make: 'string', model: 'string', year: 'integer', status: 'string' },
  inputRequired: ['make', 'model', 'year'],
  within: 'vehicle',
  probe: 'vehicle',
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
    UnitBase: objectOf({ id: text, status: text, kind: text, title: text, askingPrice: { type: ['number', 'null'] } }, [
      'askingPrice',
    ]),
    Car: { allOf: [ref('UnitBase'), objectOf({ kind: { const: 'car' }, odometer: integer })] },
    Boat: { allOf: [ref('UnitBase'), objectOf({ kind: { const: 'boat' }, engineHours: { type: 'number' } })] },
  },
  statuses: ['available', 'sold', 'winter-storage'],
  make: (id, n, status) =>
    n % 3 === 0
      ? { id, status, kind: 'boat', title: `Boat №${n}`, askingPrice: null, engineHours: n * 10.5 }
      : {
          id,
          status,
          kind: 'car',
          title: `${pick(makes, n)} ${pick(models, n)}`,
          askingPrice: 7000 + n,
          odometer: n * 3100,
        },
  input: { title: 'string', askingPrice: 'number', status: 'string' },
  inputRequired: ['title'],
  probe: 'title',
});

const wide = (n: number): JsonObject => {
  const fields: JsonObject = {};
  for (let i = 1; i <= 36; i += 1)
    fields[`spec${String(i).padStart(2, '0')}`] = i % 3 === 0 ? n + i : i % 3 === 1 ? `value ${i}` : (n + i) % 2 === 0;
  return fields;
};

export const wideUnit = profile({
  schema: {
    ...objectOf(
      {
        id: text,
        status: { type: 'string', examples: ['available'] },
        headline: text,
        photos: listOf(objectOf({ url: { type: 'string', format: 'uri' }, primary: { type: 'boolean' } }, ['primary'])),
        location: objectOf(
          {
            lot: text,
            geo: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
          },
          ['geo'],
        ),
        history: listOf(objectOf({ at: text, what: text })),
        dealer: { anyOf: [{ type: 'object', properties: { city: text } }, { type: 'null' }] },
      },
      ['headline', 'dealer'],
    ),
    additionalProperties: { type: ['string', 'number', 'boolean', 'array', 'object', 'null'] },
  },
  statuses: ['available', 'coming-soon', 'sold', 'recalled'],
  make: (id, n, status) => ({
    id,
    status,
    headline: `“${pick(makes, n)}” – ${pick(colours, n)}, ‘as new’`,
    photos:
      n % 4 === 0
        ? []
        : [
            { url: `https://img.example.test/${n}/1.jpg`, primary: true },
            { url: `https://img.example.test/${n}/2.jpg` },
          ],
    location: { lot: `L${n % 4}`, geo: [52.1 + n / 1000, 4.3] },
    history: [{ at: stamp(n), what: 'arrived' }],
    dealer: n % 2 === 0 ? { city: 'Zwolle' } : null,
    ...wide(n),
  }),
  input: { headline: 'string', status: 'string' },
  inputRequired: ['headline'],
  probe: 'photos',
});

export const resourceUnit = profile({
  schema: objectOf({
    id: text,
    status: text,
    type: { const: 'unit' },
    attributes: objectOf({ make: text, model: text, price: { type: 'string', pattern: '^[0-9]+\\.[0-9]{2}$' } }, [
      'price',
    ]),
    links: { type: 'object', properties: { self: text } },
  }),
  statuses: ['available', 'optioned', 'delivered', 'written-off'],
  make: (id, n, status) => ({
    id,
    status,
    type: 'unit',
    attributes: { make: pick(makes, n), model: pick(models, n), price: `${8000 + n * 10}.00` },
    links: { self: `/units/${encodeURIComponent(id)}` },
  }),
  input: { make: 'string', model: 'string', status: 'string' },
  inputRequired: ['make'],
  within: 'attributes',
  probe: 'attributes',
});
