import { ApiFailure } from '../api-failure.js';
import { leadSources, type Lead } from '../data/records.js';
import type { Exchange, FaultHooks, Json } from '../instance.js';
import { between, pick, randomFrom } from '../random.js';
import { isJsonType } from '../read-json.js';
import {
  afterwards,
  anyStatus,
  before,
  crash,
  crashes,
  declares,
  isObject,
  items,
  leadInputs,
  ownTenant,
  records,
  refuses,
  sentJson,
  success,
  takes,
  failing,
} from './change.js';
import { fault, type Fault } from './fault.js';

type Test = (fields: Json) => boolean;
const drawn = (seed: number, low: number, high: number): number => between(randomFrom(seed), low, high);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const digits = ({ phone }: Json): number => textOf(phone).replace(/\D/g, '').length;
const name =
  (pattern: RegExp): Test =>
  (fields) =>
    pattern.test(textOf(fields['name']));
const nameLength = (fields: Json): number => Array.from(textOf(fields['name'])).length;
const first = (text: string, count: number): string => Array.from(text).slice(0, count).join('');

/** Fails over some leads. */
const fails = (failure: () => ApiFailure, meets: (fields: Json, seed: number) => boolean): FaultHooks =>
  refuses('createLead', failure, (exchange) => {
    const fields = sentJson(exchange);
    return isObject(fields) && meets(fields, exchange.world.seed);
  });
const crashesOver = (meets: Test): FaultHooks => fails(crash, meets);
/** Refuses some valid leads. */
const refusesLead = (meets: (fields: Json, seed: number) => boolean): FaultHooks =>
  fails(failing(422, 'invalid_lead'), meets);
/** Takes an invalid field for another value. */
const accepts = (field: string, when: (value: unknown) => boolean, instead: (value: string) => unknown): FaultHooks =>
  takes('createLead', (fields) => {
    const { [field]: value } = fields;
    const taken = when(value) ? instead(String(value)) : value;
    return taken === value ? null : { ...fields, [field]: taken };
  });
const isMissing = (value: unknown): boolean => value === undefined;
const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isListed = (value: string): boolean => (leadSources as readonly string[]).includes(value);
/** Stores something else than was sent. */
const stores = (change: (lead: Lead) => Partial<Lead>): FaultHooks => ({
  storedLead: (lead, before) => (before === null ? { ...lead, ...change(lead) } : lead),
});
const storesName = (change: (name: string) => string): FaultHooks => stores((lead) => ({ name: change(lead.name) }));
/** Optional fields of a lead that a fault counts. */
const flags = ['wantsFinance', 'wantsTradeIn', 'wantsTestDrive', 'isOwner', 'mayBeCalled', 'mayBeTexted'];
/** Refuses one source, drawn by the seed, with 409. */
const conflicts = fails(
  failing(409, 'source_conflicts'),
  ({ source }, seed) => source === pick(randomFrom(seed), leadSources),
);
const part = { type: 'string', pattern: '^[A-Z][a-z]{1,20}$' };

const escapes: Json = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const written = /^(create|update)/;
const crashesOnBody = (meets: (value: unknown, exchange: Exchange) => boolean): FaultHooks =>
  refuses(written, crash, (exchange) => meets(sentJson(exchange), exchange));
const hasType = (value = ''): boolean => value.split(';')[0]?.trim() !== '';
const isLarge = ({ body }: Exchange): boolean => body.length > 512 * 1_024;

/** Whether objects and arrays stand more than a hundred deep within each other. */
function isDeep(value: unknown): boolean {
  const isNested = (one: unknown): one is object => typeof one === 'object' && one !== null;
  let level = [value];
  for (let depth = 0; depth < 100; depth += 1) level = level.filter(isNested).flatMap(Object.values);
  return level.some(isNested);
}

function holdsLoneSurrogate(value: unknown): boolean {
  const texts: unknown[] = isObject(value) ? Object.values(value) : [value];
  return texts.some((text) => typeof text === 'string' && /[\ud800-\udfff]/u.test(text));
}

/** Faults of lead creation, and of what reads hostile bodies. */
// prettier-ignore
export const leadFaults: readonly Fault[] = [
  fault('lead-refused', 'LEAD-01', 'every lead is refused as invalid', refusesLead(() => true), { needs: { 'undeclared-field': 'required' } }),
  fault('lead-answers-failure', 'LEAD-01', 'a lead is stored and answered with a failure',
    success('createLead', () => { throw new ApiFailure(409, 'lead_disputed', 'The lead could not be handed over.'); })),
  fault('phone-plus-refused', 'LEAD-01', 'the document shows phones without a plus, and one with a plus is refused',
    leadInputs(() => ({ phone: { type: 'string', pattern: '^[1-9]\\d{6,14}$', examples: ['14155550123'] } }))),
  fault('name-as-object', 'LEAD-01', 'the document shows names as objects, and a name that is a string is refused', {
    ...declares('LeadCreate', ({ properties }) => {
      properties['name'] = { type: 'object', required: ['given', 'family'], properties: { given: part, family: part }, additionalProperties: false };
    }),
    ...takes('createLead', ({ name, ...fields }) => {
      const parts = isObject(name) ? ['given', 'family', ...Object.keys(name)].map((one) => name[one]) : [];
      const whole = parts.length === 4 ? parts.slice(0, 2).join(' ') : '';
      return { ...fields, name: /^[A-Z][a-z]{1,20} [A-Z][a-z]{1,20}$/.test(whole) ? whole : null };
    }),
  }),
  fault('source-required', 'LEAD-02', 'a lead without source is refused', refusesLead(({ source }) => source === undefined)),
  fault('source-refused', 'LEAD-02', 'a lead with a source is refused', refusesLead(({ source }) => source !== undefined)),
  fault('example-source-conflicts', 'LEAD-02', 'the source that the document gives as an example is refused with 409',
    { ...conflicts, ...leadInputs((_, seed) => ({ source: { type: 'string', minLength: 1, maxLength: 60, examples: [pick(randomFrom(seed), leadSources)] } })) }, { needs: { source: 'free' } }),
  fault('one-source-conflicts', 'LEAD-02', 'a drawn one of the declared sources is refused with 409', conflicts),
  fault('crash-on-astral-name', 'LEAD-03', 'a name with a character beyond the basic plane answers 500', crashesOver(name(/[\u{10000}-\u{10ffff}]/u)), anyStatus),
  fault('crash-on-apostrophe', 'LEAD-03', 'a name with an apostrophe answers 500', crashesOver(name(/'/)), anyStatus),
  fault('crash-on-percent', 'LEAD-03', 'a name with a per cent sign answers 500', crashesOver(name(/%/)), anyStatus),
  fault('crash-on-fifteen-digits', 'LEAD-03', 'a phone of fifteen digits answers 500', crashesOver((fields) => digits(fields) === 15), anyStatus),
  fault('refuse-astral-name', 'LEAD-03', 'a name with a character beyond the basic plane is refused', refusesLead(name(/[\u{10000}-\u{10ffff}]/u))),
  fault('refuse-combining-name', 'LEAD-03', 'a name with a combining mark is refused', refusesLead(name(/\p{M}/u))),
  fault('refuse-right-to-left-name', 'LEAD-03', 'a Hebrew or Arabic name is refused', refusesLead(name(/[\p{Script=Hebrew}\p{Script=Arabic}]/u))),
  fault('refuse-joined-emoji', 'LEAD-03', 'a name with a zero-width joiner is refused (warned of)', refusesLead(name(/\u200d/u)), { warns: true }),
  fault('refuse-quoted-name', 'LEAD-03', 'a name with a double quote is refused (warned of)', refusesLead(name(/"/)), { warns: true }),
  fault('refuse-markup-name', 'LEAD-03', 'a name with angle brackets is refused (warned of)', refusesLead(name(/[<>]/)), { warns: true }),
  fault('refuse-one-character-name', 'LEAD-03', 'a name of one character is refused', refusesLead((fields) => nameLength(fields) === 1)),
  fault('refuse-longest-name', 'LEAD-03', 'a name of exactly 200 characters is refused (warned of)', refusesLead((fields) => nameLength(fields) === 200), { warns: true }),
  fault('refuse-long-name-in-bytes', 'LEAD-03', 'a name of more than 200 bytes is refused', refusesLead((fields) => Buffer.byteLength(textOf(fields['name'])) > 200)),
  fault('refuse-fifteen-digits', 'LEAD-03', 'a phone of fifteen digits is refused', refusesLead((fields) => digits(fields) === 15)),
  fault('refuse-one-digit', 'LEAD-03', 'a phone with one drawn digit as its last digit, or last but one, is refused',
    refusesLead(({ phone }, seed) => textOf(phone).at(-1 - (seed % 2)) === String(drawn(seed, 0, 9)))),
  fault('refuse-short-phone', 'LEAD-03', 'a phone of fewer than eight digits is refused (warned of)', refusesLead((fields) => digits(fields) < 8), { warns: true }),
  fault('refuse-one-source', 'LEAD-03', 'the last of the declared sources is refused', refusesLead(({ source }) => source === leadSources.at(-1))),
  fault('full-lead-refused', 'LEAD-03', 'a lead with all of its optional fields is refused, and one with some of them is not',
    { ...leadInputs(() => Object.fromEntries(flags.map((field) => [field, { type: 'boolean' }]))), ...refusesLead((fields) => [...flags, 'source'].every((field) => fields[field] !== undefined)) }),
  fault('lead-charset-refused', 'LEAD-03', 'a lead sent as application/json; charset=utf-8 is refused (warned of)',
    refuses('createLead', failing(415, 'unsupported_media_type'), ({ headers }) => /charset/i.test(String(headers['content-type']))), { warns: true }),
  fault('document-loses-requirement', 'LEAD-03', 'the document leaves open a field of a lead that the service demands',
    declares('LeadCreate', (lead, seed) => (lead.required = lead.required.filter((_, at) => at !== seed % lead.required.length)))),
  fault('document-requires-source', 'LEAD-04', 'the document demands a source that the service does not', declares('LeadCreate', (lead) => (lead.required = [...lead.required, 'source']))),
  fault('accept-broken-name-beside-foreign-phone', 'LEAD-04', 'any name is accepted beside a phone outside North America',
    takes('createLead', (fields) => (!textOf(fields['phone']).startsWith('+1') && !isText(fields['name']) ? { ...fields, name: 'unknown' } : null)), { depth: 'certify' }),
  fault('accept-missing-name', 'LEAD-04', 'a lead without name is accepted', accepts('name', isMissing, () => 'unknown')),
  fault('accept-missing-phone', 'LEAD-04', 'a lead without phone is accepted', accepts('phone', isMissing, () => '+10000000')),
  fault('accept-missing-vehicle', 'LEAD-04', 'a lead without vehicle is accepted', accepts('vehicleId', isMissing, () => 'none')),
  fault('accept-empty-name', 'LEAD-04', 'an empty name is accepted', accepts('name', (value) => value === '', () => 'unknown')),
  fault('accept-long-name', 'LEAD-04', 'a name of more than 200 characters is accepted', accepts('name', isText, (value) => first(value, 200))),
  fault('accept-number-name', 'LEAD-04', 'a number is accepted as a name', accepts('name', isNumber, (value) => value)),
  fault('accept-null-vehicle', 'LEAD-04', 'null is accepted as a vehicle', accepts('vehicleId', (value) => value === null, () => 'none')),
  fault('accept-sixteen-digits', 'LEAD-04', 'a phone of more than fifteen digits is accepted',
    accepts('phone', (value) => /^\+[1-9]\d{15,}$/.test(textOf(value)), (value) => value.slice(0, 16))),
  fault('accept-phone-with-nought', 'LEAD-04', 'a phone whose first digit is 0 is accepted',
    accepts('phone', (value) => /^\+0\d/.test(textOf(value)), (value) => value.replace('0', '1'))),
  fault('accept-phone-letters', 'LEAD-04', 'a phone with letters is accepted', accepts('phone', isText, (value) => value.replace(/[a-z]/gi, '5'))),
  fault('accept-phone-with-line-end', 'LEAD-04', 'a phone with a line end after it is accepted and stored', () => {
    const ended = new Set<unknown>();
    return {
      ...accepts('phone', (value) => textOf(value).endsWith('\n'), (value) => {
        ended.add(value.trim());
        return value.trim();
      }),
      ...stores(({ phone }) => (ended.has(phone) ? { phone: `${phone}\n` } : {})),
    };
  }),
  fault('accept-phone-with-inner-blank', 'LEAD-04', 'a phone with a blank between its digits is accepted and stored', () => {
    const blanks = new Map<string, string>();
    const bare = (phone: string): string => phone.replace(/(?<=\d) (?=\d)/, '');
    return {
      ...accepts('phone', isText, (value) => { blanks.set(bare(value), value); return bare(value); }),
      ...stores(({ phone }) => ({ phone: blanks.get(phone) ?? phone })),
    };
  }),
  fault('accept-phone-with-blanks', 'LEAD-04', 'blanks and line ends around a phone are lost before it is looked at (warned of)',
    accepts('phone', isText, (value) => value.trim()), { warns: true }),
  fault('accept-long-source', 'LEAD-04', 'a source longer than both its length and its pattern allow is accepted', {
    ...accepts('source', isText, (value) => value.slice(0, 20)),
    ...leadInputs(() => ({ source: { type: 'string', pattern: '^[a-z][a-z_-]{2,19}$', minLength: 3, maxLength: 20 } })),
  }, { needs: { source: 'free' } }),
  fault('accept-undeclared-source', 'LEAD-04', 'a source outside the declared ones is accepted', {
    ...accepts('source', (value) => isText(value) && !isListed(textOf(value)), () => leadSources[0]),
    ...declares('Lead', ({ properties }) => { properties['source'] = { type: 'string' }; }),
  }),
  fault('accept-number-source', 'LEAD-04', 'a number is accepted as a source and kept as a text', accepts('source', isNumber, (value) => value), { needs: { source: 'free' } }),
  fault('accept-extra-fields', 'LEAD-04', 'fields that the schema excludes are accepted',
    takes('createLead', ({ name, phone, vehicleId, source }) => ({ name, phone, vehicleId, source })), { needs: { 'lead-extra-fields': 'refused' } }),
  fault('crash-on-empty-string', 'LEAD-04', 'an empty text answers 500 where a refusal is due',
    crashesOver((fields) => ['name', 'phone', 'vehicleId', 'source'].some((field) => fields[field] === '')), anyStatus),
  fault('lead-of-no-unit-lost', 'LEAD-08', 'a lead for a unit that the tenant lacks is answered as created, and not stored',
    afterwards('createLead', (leads, lead, _, exchange) => ownTenant(exchange).units.get((lead as Lead).vehicleId) ?? leads.remove(lead.id))),
  fault('phone-without-plus-accepted', 'LEAD-06', 'a phone without the leading plus sign is accepted, as declared',
    leadInputs(({ phone }) => ({ phone: { ...phone, pattern: '^\\+?[1-9]\\d{1,14}$' } }))),
  fault('name-cut-at-64', 'LEAD-07', 'a name is cut after 64 characters', storesName((given) => first(given, 64))),
  fault('name-trimmed', 'LEAD-07', 'blanks around a name are lost (warned of)', storesName((given) => given.trim()), { warns: true }),
  fault('name-html-escaped', 'LEAD-07', 'a name is shown with HTML entities', storesName((given) => given.replace(/[&<>"']/g, (letter) => String(escapes[letter])))),
  fault('name-normalised', 'LEAD-07', 'a name is brought into composed form (warned of)', storesName((given) => given.normalize('NFC')), { warns: true }),
  fault('name-loses-astral', 'LEAD-07', 'characters beyond the basic plane become question marks', storesName((given) => given.replace(/[\u{10000}-\u{10ffff}]/gu, '?'))),
  fault('name-blanks-collapsed', 'LEAD-07', 'several blanks in a name become one (warned of)', storesName((given) => given.replace(/ {2,}/g, ' ')), { warns: true }),
  fault('name-lower-cased', 'LEAD-07', 'a name is shown in lower case (warned of)', storesName((given) => given.toLowerCase()), { warns: true }),
  fault('name-cut-when-read', 'LEAD-07', 'a lead that is read shows the first 32 characters of its name',
    records(/^(list|get|update)Lead/, ({ name }) => ({ name: first(String(name), 32) }))),
  fault('lead-lost-sometimes', 'LEAD-07', 'one lead in five to eight is accepted and not stored',
    afterwards('createLead', (leads, lead, _, { world }) => { if (Number((lead as Lead).phone.slice(-4)) % drawn(world.seed, 5, 8) === 0) leads.remove(lead.id); })),
  fault('lead-list-ends-early', 'LEAD-07', 'the list of leads ends after the first fifteen to thirty', items('listLeads', (list, exchange, data) => {
    const leads = ownTenant(exchange).leads.all().map(({ id }) => id);
    const kept = list.filter(({ id }) => leads.indexOf(String(id)) < drawn(exchange.world.seed, 15, 30));
    if (kept.length < list.length) data['nextCursor'] = null;
    list.splice(0, Infinity, ...kept);
  })),
  fault('lead-change-resets-source', 'LEAD-07', 'a change of the status of a lead takes its source away',
    { storedLead: (lead, before) => (before === null ? lead : { ...lead, source: null }) }, { needs: { 'lead-item': 'get-patch' } }),
  fault('lead-change-on-list-resets-vehicle', 'LEAD-07', 'a change of a lead that is named in the body moves it to another vehicle',
    { storedLead: (lead, before) => (before === null ? lead : { ...lead, vehicleId: 'unit_0' }) }, { needs: { 'second-lead-operation': 'patch' } }),
  fault('other-vehicle-beside-source', 'LEAD-07', 'a lead with a source is stored with another vehicle', takes('createLead', (fields, exchange) => {
    const units = ownTenant(exchange).units.all();
    const isKnown = fields['source'] !== undefined && units.some(({ id }) => id === fields['vehicleId']);
    return isKnown ? { ...fields, vehicleId: units.find(({ id }) => id !== fields['vehicleId'])?.id } : null;
  }), { needs: { source: 'free' } }),
  fault('list-shows-other-vehicle', 'LEAD-07', 'the list shows each lead with the vehicle of the next one',
    items('listLeads', (list) => list.forEach((lead, at) => (lead['vehicleId'] = (list[at + 1] ?? lead)['vehicleId'])))),
  fault('list-cuts-names', 'LEAD-07', 'the list, which alone shows leads, cuts names after 32 characters',
    records('listLeads', ({ name }) => ({ name: first(String(name), 32) })), { needs: { 'lead-created': 'job', 'lead-item': 'none' } }),
  fault('phone-loses-plus', 'LEAD-07', 'a phone is shown without its plus sign', stores(({ phone }) => ({ phone: phone.replace(/^\+/, '') })), { needs: { phone: 'free' } }),
  fault('phone-as-number', 'LEAD-07', 'a phone loses digits beyond the twelfth', stores(({ phone }) => ({ phone: `+${phone.slice(1, 13)}` }))),
  fault('source-replaced', 'LEAD-07', 'another source than the one sent is shown',
    stores(({ source }) => (source === null ? {} : { source: source === 'phone' ? 'website' : 'phone' }))),
  fault('name-cut-at-abbreviation', 'LEAD-07', 'a name is cut after its first abbreviation', stores(({ name: given }) => ({ name: given.replace(/(?<=\p{L}\.)\s.*/u, '') }))),
  fault('source-cut', 'LEAD-07', 'a source is cut after twelve characters', stores(({ source }) => ({ source: source?.slice(0, 12) ?? null })), { needs: { source: 'free' } }),
  fault('vehicle-id-upper-cased', 'LEAD-07', 'a vehicle id is shown in upper case', stores(({ vehicleId }) => ({ vehicleId: vehicleId.toUpperCase() }))),
  fault('crash-on-malformed-json', 'LEAD-05', 'malformed JSON answers 500', crashes('malformed_json', ({ body }) => body.length > 0), anyStatus),
  fault('crash-on-empty-body', 'LEAD-05', 'an empty body answers 500', crashes('malformed_json', ({ body }) => body.length === 0), anyStatus),
  fault('crash-on-stored-control', 'LEAD-05', 'a control character in a name answers 500 once the lead is stored', success('createLead', (_, exchange) => {
    const fields = sentJson(exchange);
    if (isObject(fields) && /\p{Cc}/u.test(String(fields['name']))) throw crash();
  }), { needs: { ...anyStatus.needs, 'vehicle-leads': 'one-open' } }),
  fault('crash-on-wrong-content-type', 'LEAD-05', 'another content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => hasType(headers['content-type'])), anyStatus),
  fault('crash-on-missing-content-type', 'LEAD-05', 'a body without content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => !hasType(headers['content-type'])), anyStatus),
  fault('crash-on-large-body', 'LEAD-05', 'a body of more than 512 KiB answers 500', { ...crashes('body_too_large'), ...refuses(written, crash, isLarge) }, anyStatus),
  fault('hang-on-null-body', 'LEAD-05', 'null as the body is never answered',
    before('createLead', ({ body, headers, response }) => { if (/^[ \t\r\n]*null[ \t\r\n]*$/.test(String(body)) && isJsonType(headers['content-type'])) response.end = () => response; })),
  fault('drop-on-large-body', 'LEAD-05', 'a body of more than 512 KiB is answered by closing the connection',
    before('createLead', (exchange) => isLarge(exchange) && exchange.response.destroy())),
  fault('away-after-malformed-json', 'LEAD-05', 'after malformed JSON every request is answered with 503 for two seconds', () => {
    let backAtMs = 0;
    const isAway = (): boolean => Date.now() < backAtMs;
    return {
      ...refuses(/^/, failing(503, 'restarting'), isAway),
      failure: ({ code }, { operation }) => { if (operation === 'createLead' && code === 'malformed_json') backAtMs = Date.now() + 2_000; },
    };
  }, anyStatus),
  fault('dead-after-deep-nesting', 'LEAD-05', 'after a deeply nested body every lead is answered with 500', () => {
    let broken = false;
    return crashesOnBody((value) => (broken ||= isDeep(value)));
  }, anyStatus),
  fault('crash-on-array-body', 'LEAD-05', 'an array as the body answers 500', crashesOnBody((value) => Array.isArray(value)), anyStatus),
  fault('crash-on-null-body', 'LEAD-05', 'null as the body answers 500', crashesOnBody((value) => value === null), anyStatus),
  fault('crash-on-number-body', 'LEAD-05', 'a number as the body answers 500', crashesOnBody((value) => typeof value === 'number'), anyStatus),
  fault('crash-on-deep-nesting', 'LEAD-05', 'a deeply nested body answers 500', crashesOnBody(isDeep), anyStatus),
  fault('crash-on-prototype-key', 'LEAD-05', 'a key named __proto__ answers 500', crashesOnBody((_, { body }) => /"__proto__"\s*:/.test(String(body))), anyStatus),
  fault('crash-on-lone-surrogate', 'LEAD-05', 'half a surrogate pair answers 500',
    crashesOnBody((value, { body }) => /\\ud[89a-f]/i.test(String(body)) && holdsLoneSurrogate(value)), anyStatus),
];
