import { ApiFailure } from '../api-failure.js';
import { isJsonType } from '../read-json.js';
import { anyStatus, before, crash, crashes, isObject, refuses, sentJson, success } from './change.js';
import type { Exchange, FaultHooks } from '../instance.js';
import { fault, type Fault } from './fault.js';
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
  fault('crash-on-malformed-json', 'LEAD-05', 'malformed JSON answers 500', crashes('malformed_json', ({ body }) => body.length > 0), crashing),
  fault('crash-on-empty-body', 'LEAD-05', 'an empty body answers 500', crashes('malformed_json', ({ body }) => body.length === 0), crashing),
  fault('crash-on-stored-control', 'LEAD-05', 'a control character in a name answers 500 once the lead is stored', success('createLead', (_, exchange) => {
    const fields = sentJson(exchange);
    if (isObject(fields) && /\p{Cc}/u.test(String(fields['name']))) throw crash();
  }), { needs: { ...anyStatus, 'vehicle-leads': 'one-open' } }),
  fault('crash-on-wrong-content-type', 'LEAD-05', 'another content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => hasType(headers['content-type'])), crashing),
  fault('crash-on-missing-content-type', 'LEAD-05', 'a body without content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => !hasType(headers['content-type'])), crashing),
  fault('crash-on-large-body', 'LEAD-05', 'a body of more than 512 KiB answers 500', { ...crashes('body_too_large'), ...refuses(written, crash, isLarge) }, crashing),
  fault('hang-on-null-body', 'LEAD-05', 'null as the body is never answered',
    before('createLead', ({ body, headers, response }) => { if (/^[ \t\r\n]*null[ \t\r\n]*$/.test(String(body)) && isJsonType(headers['content-type'])) response.end = () => response; })),
  fault('drop-on-large-body', 'LEAD-05', 'a body of more than 512 KiB is answered by closing the connection',
    before('createLead', (exchange) => isLarge(exchange) && exchange.response.destroy())),
  fault('away-after-malformed-json', 'LEAD-05', 'after malformed JSON every request is answered with 503 for two seconds', awayAfterMalformed, { needs: anyStatus }),
  fault('dead-after-deep-nesting', 'LEAD-05', 'after a deeply nested body every lead is answered with 500', deadAfterDeepNesting, { needs: anyStatus }),
  fault('crash-on-array-body', 'LEAD-05', 'an array as the body answers 500', crashesOnBody((value) => Array.isArray(value)), crashing),
  fault('crash-on-null-body', 'LEAD-05', 'null as the body answers 500', crashesOnBody((value) => value === null), crashing),
  fault('crash-on-number-body', 'LEAD-05', 'a number as the body answers 500', crashesOnBody((value) => typeof value === 'number'), crashing),
  fault('crash-on-deep-nesting', 'LEAD-05', 'a deeply nested body answers 500', crashesOnBody(isDeep), crashing),
  fault('crash-on-prototype-key', 'LEAD-05', 'a key named __proto__ answers 500', crashesOnBody((_, { body }) => /"__proto__"\s*:/.test(String(body))), crashing),
  fault('crash-on-lone-surrogate', 'LEAD-05', 'half a surrogate pair answers 500',
    crashesOnBody((value, { body }) => /\\ud[89a-f]/i.test(String(body)) && holdsLoneSurrogate(value)), crashing),
];
