import { ApiFailure } from '../api-failure.js';
import { isJsonType } from '../read-json.js';
import { anyStatus, before, crash, crashes, isObject, refuses, sentJson, success } from './change.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { faultsOf, type Fault } from './fault.js';
import { crashing } from './lead-faults.js';

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

/** Is broken for good once it has met a deeply nested body. */
function deadAfterDeepNesting(): FaultHooks {
  let broken = false;
  return crashesOnBody((value) => (broken ||= isDeep(value)));
}

/** Answers nothing for two seconds after malformed JSON. */
function awayAfterMalformed(): FaultHooks {
  let backAtMs = 0;
  return {
    ...refuses(
      /^/,
      () => new ApiFailure(503, 'restarting', 'Come back later.'),
      () => Date.now() < backAtMs,
    ),
    failure: (failure, { operation }) => {
      if (operation === 'createLead' && failure.code === 'malformed_json') backAtMs = Date.now() + 2_000;
    },
  };
}

/** Faults in what reads hostile bodies. */
// prettier-ignore
export const hostileInputFaults: readonly Fault[] = [
  ...faultsOf('LEAD-05')([
    ['crash-on-malformed-json', 'malformed JSON answers 500', crashes('malformed_json', ({ body }) => body.length > 0), crashing],
    ['crash-on-empty-body', 'an empty body answers 500', crashes('malformed_json', ({ body }) => body.length === 0), crashing],
    ['crash-on-stored-control', 'a control character in a name answers 500 once the lead is stored', success('createLead', (_, exchange) => {
      const fields = sentJson(exchange);
      if (isObject(fields) && /\p{Cc}/u.test(String(fields['name']))) throw crash();
    }), { needs: { ...anyStatus, 'vehicle-leads': 'one-open' } }],
    ['crash-on-wrong-content-type', 'another content type answers 500', crashes('unsupported_media_type', ({ headers }) => hasType(headers['content-type'])), crashing],
    ['crash-on-missing-content-type', 'a body without content type answers 500', crashes('unsupported_media_type', ({ headers }) => !hasType(headers['content-type'])), crashing],
    ['crash-on-large-body', 'a body of more than 512 KiB answers 500', { ...crashes('body_too_large'), ...refuses(written, crash, isLarge) }, crashing],
    ['hang-on-null-body', 'null as the body is never answered',
      before('createLead', ({ body, headers, response }) => { if (/^[ \t\r\n]*null[ \t\r\n]*$/.test(String(body)) && isJsonType(headers['content-type'])) response.end = () => response; })],
    ['drop-on-large-body', 'a body of more than 512 KiB is answered by closing the connection',
      before('createLead', (exchange) => isLarge(exchange) && exchange.response.destroy())],
    ['away-after-malformed-json', 'after malformed JSON every request is answered with 503 for two seconds', awayAfterMalformed, { needs: anyStatus }],
    ['dead-after-deep-nesting', 'after a deeply nested body every lead is answered with 500', deadAfterDeepNesting, { needs: anyStatus }],
  ]),
  ...faultsOf('LEAD-05', crashesOnBody)([
    ['crash-on-array-body', 'an array as the body answers 500', (value) => Array.isArray(value)],
    ['crash-on-null-body', 'null as the body answers 500', (value) => value === null],
    ['crash-on-number-body', 'a number as the body answers 500', (value) => typeof value === 'number'],
    ['crash-on-deep-nesting', 'a deeply nested body answers 500', isDeep],
    ['crash-on-prototype-key', 'a key named __proto__ answers 500', (_, { body }) => /"__proto__"\s*:/.test(String(body))],
    ['crash-on-lone-surrogate', 'half a surrogate pair answers 500', (value, { body }) => /\\ud[89a-f]/i.test(String(body)) && holdsLoneSurrogate(value)],
  ], crashing),
];
