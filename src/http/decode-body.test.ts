import { expect, test } from '@playwright/test';
import { differences, sameJson } from '../service/json.js';
import { ambiguityIn, decodeJson } from './decode-body.js';

const big = '9007199254740993';

test('whole numbers beyond 2^53 are compared as they were written, and stay numbers', () => {
  const [one, same, other] = [`{"a":[${big}]}`, `{ "a": [ ${big} ] }`, '{"a":[9007199254740992]}'].map(decodeJson);
  expect(one).toEqual({ a: [9007199254740992] });
  expect([sameJson(one, same), sameJson(one, other)]).toEqual([true, false]);
  expect([differences(one, same), differences(one, other)]).toEqual([
    [],
    [{ pointer: '/a/0', left: big, right: '9007199254740992', lengthOnly: false }],
  ]);
  expect(sameJson(one, { a: [9007199254740992] })).toBe(true);
});

test('texts and fractions that hold many digits stay as they are', () => {
  const text = `{"a":"#${big}","${big}":"${big}","b":0.${big}${big},"c":"\\"${big}","d":-${big},"e":1e16}`;
  expect(decodeJson(text)).toEqual(JSON.parse(text));
});

test('a member twice in one object and a number that no double holds are ambiguous', () => {
  expect(ambiguityIn('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"{\\"a\\":1,\\"a\\":2}"}')).toBeNull();
  expect(ambiguityIn('{"a":1,"b":{"c":[{}]},"\\u0061":2}')).toContain('"a" twice');
  expect(ambiguityIn('[9007199254740991,0.1234567890123456789]')).toBeNull();
  expect(ambiguityIn(`[${big}]`)).toContain(big);
  expect(ambiguityIn('[-1e400]')).toContain('-1e400');
});
