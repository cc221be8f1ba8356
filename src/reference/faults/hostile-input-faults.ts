import { ApiFailure } from '../api-failure.js';
import { isJsonType } from '../read-json.js';
import { anyStatus, crash, crashes } from './change.js';
import type { FaultHooks } from '../instance.js';
import { fault, type Fault } from './fault.js';
import { hostile } from './lead-faults.js';
const hostileType = { ...hostile };

const crashesOnBody = (meets: (value: unknown, text: string, bytes: number) => boolean): FaultHooks => ({
  body: (value, text, bytes) => {
    if (meets(value, text, bytes)) throw crash();
  },
});
const hasType = (value: string | undefined): boolean => (value ?? '').split(';')[0]?.trim() !== '';
const large = { bodyLimit: (bytes: number) => 4 * bytes };
const isLarge = (bytes: number): boolean => bytes > 512 * 1_024;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether objects and arrays stand more than a hundred deep within each other. */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth < 100; depth += 1) level = level.filter(isObject).flatMap(Object.values);
  return level.some(isObject);
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

/** Answers nothing for a second after malformed JSON. */
function awayAfterMalformed(): FaultHooks {
  let backAtMs = 0;
  return {
    arrive: () => {
      if (Date.now() < backAtMs) throw new ApiFailure(503, 'restarting', 'Come back later.');
    },
    failure: (failure, { operation }) => {
      if (operation === 'createLead' && failure.code === 'malformed_json') backAtMs = Date.now() + 1_000;
    },
  };
}

/** Faults in what reads hostile bodies. */
// prettier-ignore
export const hostileInputFaults: readonly Fault[] = [
  fault('crash-on-malformed-json', 'LEAD-05', 'malformed JSON answers 500',
    crashes('malformed_json', ({ body }) => body.length > 0), hostile),
  fault('crash-on-empty-body', 'LEAD-05', 'an empty body answers 500',
    crashes('malformed_json', ({ body }) => body.length === 0), hostile),
  fault('crash-on-array-body', 'LEAD-05', 'an array as the body answers 500',
    crashesOnBody((value) => Array.isArray(value)), hostileType),
  fault('crash-on-null-body', 'LEAD-05', 'null as the body answers 500',
    crashesOnBody((value) => value === null), hostileType),
  fault('crash-on-number-body', 'LEAD-05', 'a number as the body answers 500',
    crashesOnBody((value) => typeof value === 'number'), hostileType),
  fault('crash-on-deep-nesting', 'LEAD-05', 'a deeply nested body answers 500', crashesOnBody(isDeep), hostile),
  fault('crash-on-prototype-key', 'LEAD-05', 'a key named __proto__ answers 500',
    crashesOnBody((_, text) => /"__proto__"\s*:/.test(text)), hostile),
  fault('crash-on-lone-surrogate', 'LEAD-05', 'half a surrogate pair answers 500',
    crashesOnBody((value, text) => /\\ud[89a-f]/i.test(text) && holdsLoneSurrogate(value)), hostile),
  fault('crash-on-stored-control', 'LEAD-05', 'a control character in a name answers 500 once the lead is stored',
    { earlierLead: (known, { name: given }) => { if (known === undefined && /\p{Cc}/u.test(given)) throw crash(); } },
    { needs: { ...anyStatus, 'vehicle-leads': 'one-open' } }),
  fault('crash-on-wrong-content-type', 'LEAD-05', 'another content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => hasType(headers['content-type'])), hostile),
  fault('crash-on-missing-content-type', 'LEAD-05', 'a body without content type answers 500',
    crashes('unsupported_media_type', ({ headers }) => !hasType(headers['content-type'])), hostile),
  fault('crash-on-large-body', 'LEAD-05', 'a body of more than 512 KiB answers 500',
    { ...large, ...crashesOnBody((_, __, bytes) => isLarge(bytes)) }, hostile),
  fault('hang-on-null-body', 'LEAD-05', 'null as the body is never answered',
    {
      handle: ({ operation, body, headers, response }) => {
        const isNull = /^[ \t\r\n]*null[ \t\r\n]*$/.test(String(body));
        if (operation === 'createLead' && isNull && isJsonType(headers['content-type'])) response.end = () => response;
      },
    }),
  fault('drop-on-large-body', 'LEAD-05', 'a body of more than 512 KiB is answered by closing the connection',
    {
      ...large,
      handle: ({ operation, body, response }) => {
        if (operation === 'createLead' && isLarge(body.length)) response.destroy();
      },
    }),
  fault('away-after-malformed-json', 'LEAD-05', 'after malformed JSON every request is answered with 503 for a second',
    awayAfterMalformed, { needs: anyStatus }),
  fault('dead-after-deep-nesting', 'LEAD-05', 'after a deeply nested body every lead is answered with 500',
    deadAfterDeepNesting,
    { needs: anyStatus }),
];
