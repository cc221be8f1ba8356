import { asObject, quote } from '../../service/index.js';
import { child, createValidators, eventKinds, type EventKind, member } from '../../openapi/index.js';
import { objectsIn } from '../event-payload.js';
import type { HookReport } from './hook-report.js';
import type { KindedEvent } from './judge-kinds.js';

const usualPlaces = 'deal|data.deal|data.object|data|payload.deal|payload|object|resource|record|'.split('|');
const pastNames = /(?:^|\.)(?:previous\w*|before|old\w*|changes|diff|prior)(?:\.|$)/i;

const wrongFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value !== 'string' || value === '',
  totalGross: (value) => !Number.isFinite(value),
};

/** The fields of a deal that are not as the floor wants them: string `id`, number `totalGross` (§2, §6). */
const wrongIn = (deal: Record<string, unknown>): string[] =>
  Object.keys(wrongFields).filter((name) => wrongFields[name]?.(deal[name]));

function problemOf(deal: Record<string, unknown>): string {
  return wrongIn(deal)
    .map((name) => (Object.hasOwn(deal, name) ? `its ${name} is ${quote(deal[name])}` : `it has no ${name}`))
    .join(' and ');
}

/** The place of the deal in a `deal.funded` event, wherever it stands; null where nothing looks like a deal. */
function findFundedDeal(
  event: Record<string, unknown>,
): { readonly place: string; readonly deal: Record<string, unknown> } | null {
  const order = (place: string): number => {
    const at = usualPlaces.indexOf(place);
    return at < 0 ? usualPlaces.length + place.split('.').length : at;
  };
  const present = objectsIn(event).filter(({ place }) => !pastNames.test(place));
  const carrying = present.filter(({ object }) => Object.hasOwn(object, 'totalGross'));
  const named = present.filter(({ place }) => /(?:^|\.)deal$/.test(place) || place === 'data');
  const found = (carrying.length > 0 ? carrying : named)
    .sort((a, b) => order(a.place) - order(b.place))
    .map(({ place, object }) => ({
      place: place === '' ? 'the top of the payload' : place,
      deal: object,
    }));
  return found.find(({ deal }) => wrongIn(deal).length === 0) ?? found[0] ?? null;
}

/** HOOK-04: every `deal.funded` carries a deal with a string id and a number totalGross. */
export function judgeFundedDeals(report: HookReport, events: readonly KindedEvent[]): void {
  const funded = events.filter(({ kind }) => kind === 'deal.funded');
  const places = new Set<string>();
  for (const { delivery, event } of funded) {
    const found = event === null ? null : findFundedDeal(event);
    if (found !== null) places.add(found.place);
    const none = event === null ? 'the body is no JSON object' : 'no deal with totalGross anywhere in the payload';
    const wrong = found === null ? [none] : wrongIn(found.deal);
    if (wrong.length > 0)
      report.add('HOOK-04', `${found?.place ?? ''} ${wrong.join()}`, delivery, {
        code: 'no-deal',
        kind: 'deal.funded',
        expected: 'a deal with a string id and a number totalGross',
        actual: `: ${found === null ? none : `the deal at ${found.place}: ${problemOf(found.deal)}`}`,
      });
  }
  if (places.size > 0) report.observe('HOOK-04', 'Where is the deal of deal.funded?', [...places].join(', '));
  report.judged['HOOK-04'] = funded.length;
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const jsonType = /^(?:application\/(?:[\w.+-]*\+)?json|\*\/\*|application\/\*)\s*(?:;|$)/i;

/** The pointers of the JSON schemas that a document declares for a kind's webhook; null where it declares no such webhook. */
function declaredSchemas(document: Record<string, unknown> | null, kind: string): readonly string[] | null {
  const names = Object.keys(asObject(document?.['webhooks']) ?? {});
  const name = names.find((one) => one === kind) ?? names.find((one) => bare(one) === bare(kind));
  if (document === null || name === undefined) return null;
  const webhook = member(document, { node: document, pointer: '' }, 'webhooks', name);
  for (const method of ['post', 'put', 'patch']) {
    const content = member(document, webhook, method, 'requestBody', 'content');
    const types = Object.keys(content?.node ?? {}).filter((type) => jsonType.test(type));
    const media = types.flatMap((type) => member(document, content, type) ?? []);
    const declaring = media.filter(({ node }) => node['schema'] !== undefined);
    if (declaring.length > 0) return declaring.map(({ pointer }) => child(pointer, 'schema'));
  }
  return [];
}

/** HOOK-06: every payload meets the schema that the document declares for its kind. */
export function judgeDeclared(
  report: HookReport,
  events: readonly KindedEvent[],
  document: Record<string, unknown> | null,
): { readonly declared: readonly EventKind[]; readonly unusableSchema: string | null } {
  const validators = createValidators(document ?? {});
  const schemas = new Map(eventKinds.map((kind) => [kind, declaredSchemas(document, kind)] as const));
  const judged = new Set<EventKind>();
  let unusableSchema: string | null = null;
  for (const { delivery, document: whole, event, kind } of events) {
    const pointers = kind === null ? [] : (schemas.get(kind) ?? []);
    const usable = pointers.filter((pointer) => validators.problem(pointer) === null);
    // Several events in one delivery: the declaration may describe each.
    const values = event !== null && event !== asObject(whole) ? [whole, event] : [whole];
    const errors = usable.map((pointer) => values.map((value) => validators.errors(pointer, value)));
    const [wrong] = errors;
    const [pointer = ''] = usable;
    if (kind === null || pointers.length === 0) continue;
    if (wrong === undefined) {
      unusableSchema ??= `the schema at ${pointers[0] ?? ''} cannot be used: ${validators.problem(pointers[0] ?? '')?.text.slice(0, 200) ?? ''}`;
      continue;
    }
    report.judged['HOOK-06'] += 1;
    judged.add(kind);
    if (errors.flat().some((one) => one.length === 0)) continue;
    const detail = (wrong[0] ?? [])
      .slice(0, 4)
      .map(({ text }) => text)
      .join('; ');
    report.add('HOOK-06', `${kind} ${detail}`, delivery, {
      code: 'schema-broken',
      field: kind,
      kind,
      expected: `the payload of ${kind} to meet ${pointer}`,
      actual: `: ${detail}`,
    });
  }
  const declared = eventKinds.filter((kind) => schemas.get(kind) !== null);
  const never = declared.filter((kind) => !judged.has(kind));
  if (never.length > 0)
    report.observe(
      'HOOK-06',
      'Which declared kinds were never seen?',
      `${never.join(', ')}: not applicable, as no such event came`,
    );
  return { declared, unusableSchema };
}
