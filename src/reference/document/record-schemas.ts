import type { Behaviour } from '../instance.js';
import { leadSources, leadStatuses } from '../data/records.js';
import { eventKinds, groupOf, type EventKind } from '../webhooks/kinds.js';

type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const instant: Schema = { type: 'string', format: 'date-time' };

function object(properties: Schema, required: readonly string[]): Schema {
  return { type: 'object', required: [...required], properties };
}

/** A unit by itself. */
export function unitSchema(): Schema {
  const geo = object(
    { lat: { type: 'number', minimum: -90, maximum: 90 }, lng: { type: 'number', minimum: -180, maximum: 180 } },
    ['lat', 'lng'],
  );
  const properties: Schema = {
    id: text,
    stockNumber: text,
    vin: { type: 'string', minLength: 17, maxLength: 17 },
    status: { type: 'string', description: 'State of the unit; available units are on offer.' },
    condition: { type: 'string', enum: ['new', 'used'] },
    make: text,
    model: text,
    year: { type: 'integer' },
    trim: { type: ['string', 'null'] },
    mileageKm: { type: 'integer', minimum: 0 },
    engineLitres: { type: ['number', 'null'], minimum: 0 },
    priceCents: { type: 'integer' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    features: { type: 'array', items: text },
    location: object({ lot: text, row: { type: 'integer' }, geo }, ['lot', 'geo']),
    createdAt: instant,
    updatedAt: instant,
  };
  return object(properties, [
    'id',
    'stockNumber',
    'vin',
    'status',
    'make',
    'model',
    'year',
    'priceCents',
    'currency',
    'location',
    'updatedAt',
  ]);
}

/** A lead that is read. */
export function leadSchema(behaviour: Behaviour): Schema {
  const source = behaviour.option('source') === 'listed' ? { type: 'string', enum: [...leadSources] } : text;
  const properties = {
    id: text,
    name: text,
    phone: text,
    vehicleId: text,
    source,
    status: { type: 'string', enum: [...leadStatuses] },
    score: { type: 'integer', minimum: 0, maximum: 100 },
    createdAt: instant,
    updatedAt: instant,
  };
  return object(properties, ['id', 'name', 'phone', 'vehicleId', 'status', 'score', 'createdAt']);
}

/** A deal. */
export function dealSchema(): Schema {
  const properties = {
    id: text,
    unitId: text,
    status: { type: 'string', enum: ['open', 'signed', 'funded'] },
    totalGross: { type: 'number' },
    currency: text,
    termMonths: { type: 'integer', minimum: 1 },
    openedAt: instant,
    fundedAt: { type: ['string', 'null'], format: 'date-time' },
  };
  return object(properties, ['id', 'status', 'totalGross', 'currency', 'termMonths']);
}

/** The error object, in the shape that this service uses. */
export function errorSchema(behaviour: Behaviour): Schema {
  switch (behaviour.option('error-shape')) {
    case 'type-title':
      return object(
        { type: { type: 'string', format: 'uri' }, title: text, status: { type: 'integer' }, detail: text },
        ['type', 'title', 'status'],
      );
    case 'message':
      return object({ message: text }, ['message']);
    case 'issues':
      return object({ code: text, message: text, issues: { type: 'array', items: object({ text }, ['text']) } }, [
        'code',
        'message',
        'issues',
      ]);
    default:
      return object({ code: text, message: text, details: { type: 'array', items: text } }, ['code', 'message']);
  }
}

const callSchema = object(
  { id: text, durationSeconds: { type: 'integer', minimum: 0 }, outcome: text, summary: text },
  ['id', 'outcome'],
);
const visitSchema = object({ id: text, unitId: text, status: text, openedAt: instant }, ['id', 'status']);

/** The body of an event. `references` are the component schemas to refer to by group. */
export function eventSchema(kind: EventKind, behaviour: Behaviour): Schema {
  const group = groupOf(kind);
  const known: Readonly<Record<string, string>> = { lead: 'Lead', deal: 'Deal', unit: 'Unit' };
  const name = known[group];
  const record =
    name === undefined ? (group === 'call' ? callSchema : visitSchema) : { $ref: `#/components/schemas/${name}` };
  const data = behaviour.option('event-record') === 'named' ? object({ [group]: record }, [group]) : record;
  const field = behaviour.option('event-kind-field');
  return object({ id: text, [field]: { const: kind }, createdAt: instant, data }, ['id', field, 'createdAt', 'data']);
}

/** Every event as a Path Item under its kind. */
export function webhooks(behaviour: Behaviour): Schema {
  const one = (kind: EventKind): Schema => ({
    post: {
      operationId: `on${kind
        .split('.')
        .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
        .join('')}`,
      summary: `Something happened: ${kind}.`,
      parameters: [
        {
          name: 'X-Service-Signature',
          in: 'header',
          required: true,
          description: 'HMAC-SHA256 over the raw body.',
          schema: text,
        },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: eventSchema(kind, behaviour) } } },
      responses: { '2XX': { description: 'Taken.' } },
    },
  });
  return Object.fromEntries(eventKinds.map((kind) => [kind, one(kind)]));
}
