import type { Behaviour } from '../instance.js';
import { leadSources, leadStatuses } from '../data/records.js';
import { eventKinds, groupOf, type EventKind } from '../webhooks/kinds.js';
import { instant, integer, listOf, object, oneOf, ref, text, type Schema } from './schema.js';

/** A unit by itself. */
export function unitSchema(): Schema {
  const geo = object({
    lat: { type: 'number', minimum: -90, maximum: 90 },
    lng: { type: 'number', minimum: -180, maximum: 180 },
  });
  return object({
    id: text,
    stockNumber: text,
    vin: { type: 'string', minLength: 17, maxLength: 17 },
    status: { type: 'string', description: 'State of the unit; available units are on offer.' },
    'condition?': oneOf(['new', 'used']),
    make: text,
    model: text,
    year: integer,
    'trim?': { type: ['string', 'null'] },
    'mileageKm?': { type: 'integer', minimum: 0 },
    'engineLitres?': { type: ['number', 'null'], minimum: 0 },
    priceCents: integer,
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    'features?': listOf(text),
    location: object({ lot: text, 'row?': integer, geo }),
    'createdAt?': instant,
    updatedAt: instant,
  });
}

/** A lead that is read. */
export function leadSchema(behaviour: Behaviour): Schema {
  return object({
    id: text,
    name: text,
    phone: text,
    vehicleId: text,
    'source?': behaviour.option('source') === 'listed' ? oneOf(leadSources) : text,
    status: oneOf(leadStatuses),
    score: { type: 'integer', minimum: 0, maximum: 100 },
    createdAt: instant,
    'updatedAt?': instant,
  });
}

/** A deal. */
export function dealSchema(): Schema {
  return object({
    id: text,
    'unitId?': text,
    status: oneOf(['open', 'signed', 'funded']),
    totalGross: { type: 'number' },
    currency: text,
    termMonths: { type: 'integer', minimum: 1 },
    'openedAt?': instant,
    'fundedAt?': { type: ['string', 'null'], format: 'date-time' },
  });
}

/** The error object, in the shape that this service uses. */
export function errorSchema({ option }: Behaviour): Schema {
  const uri = { type: 'string', format: 'uri' };
  return {
    'type-title': object({ type: uri, title: text, status: integer, 'detail?': text }),
    message: object({ message: text }),
    issues: object({ code: text, message: text, issues: listOf(object({ text })) }),
    'code-message': object({ code: text, message: text, 'details?': listOf(text) }),
  }[option('error-shape')];
}

const own: Readonly<Record<string, Schema>> = {
  lead: ref('Lead'),
  deal: ref('Deal'),
  unit: ref('Unit'),
  call: object({ id: text, 'durationSeconds?': { type: 'integer', minimum: 0 }, outcome: text, 'summary?': text }),
  service: object({ id: text, 'unitId?': text, status: text, 'openedAt?': instant }),
};

/** The body of an event. */
function eventSchema(kind: EventKind, { option }: Behaviour): Schema {
  const group = groupOf(kind);
  const record = own[group] ?? {};
  const data = option('event-record') === 'named' ? object({ [group]: record }) : record;
  return object({ id: text, [option('event-kind-field')]: { const: kind }, createdAt: instant, data });
}

/** Every event as a Path Item under its kind. */
export function webhooks(behaviour: Behaviour): Schema {
  const description = 'HMAC-SHA256 over the raw body.';
  const signature = { name: 'X-Service-Signature', in: 'header', required: true, description, schema: text };
  const one = (kind: EventKind): Schema => ({
    post: {
      operationId: `on${kind.replace(/(^|\.)./g, (start) => start.slice(-1).toUpperCase())}`,
      summary: `Something happened: ${kind}.`,
      parameters: [signature],
      requestBody: { required: true, content: { 'application/json': { schema: eventSchema(kind, behaviour) } } },
      responses: { '2XX': { description: 'Taken.' } },
    },
  });
  return Object.fromEntries(eventKinds.map((kind) => [kind, one(kind)]));
}
