import { expect, test } from '@playwright/test';
import { openEnvelopeCheck } from './envelope-check.js';

const filler = 'x'.repeat(20_000);
const large = `{"ok":true,"data":{"items":["${filler}"]}}`;

function judged(bodies: readonly string[], status = 200): boolean[] {
  const carriesEnvelope = openEnvelopeCheck();
  return bodies.map((body) => carriesEnvelope(body, status));
}

test('a small body is an envelope only as a whole, and only the one that its status calls for', () => {
  const good = ['{"ok":true,"data":[]}', ' { "ok" : true , "data" : {} }\n', '{"data":null,"ok":true}'];
  const error = '{"ok":false,"error":{"code":"unauthorized"}}';
  expect(judged([...good, '{"ok":true,"meta":{},"data":{}}'])).toEqual([true, true, true, true]);
  expect(judged([error], 401)).toEqual([true]);
  const bare = ['', 'null', '[]', '{"data":{}}', '{"ok":true}', '{"ok":"true","data":{}}', '<html></html>'];
  const broken = ['{"ok":true,"data":{', '{"ok":true,"data":{"items":[1,', '{"ok":true,"data":{}} trailing', error];
  expect(judged([...bare, ...broken])).toEqual([...bare, ...broken].map(() => false));
  expect(judged(good, 500)).toEqual([false, false, false]);
});

test('a large body must begin and end as the envelope does', () => {
  const bad = [large.slice(0, -2), `${large}garbage`, `[${large}]`, large.replace('true', 'false'), filler];
  expect(judged([large, ...bad])).toEqual([true, ...bad.map(() => false)]);
  const good = [`${large}\r\n`, `{"data":["${filler}"],"ok":true}`, `{"data":["${filler}"],"ok":true,"meta":{}}`];
  expect(judged([large, ...good, '{"data":[],"ok":false}'.padStart(20_000)])).toEqual([true, true, true, true, false]);
  expect(judged([`{"ok":false,"error":{"code":"${filler}"}}`, large], 500)).toEqual([true, false]);
});

test('of the large bodies of an operation the first and each sixteenth are parsed as a whole', () => {
  for (const garbled of [`{"ok":true,"data":{"items":["${filler}",,]}}`, `{"data":["${filler}",,],"ok":true}`]) {
    const seen = judged(Array.from({ length: 40 }, () => garbled));
    expect(seen.flatMap((carries, at) => (carries ? [] : [at]))).toEqual([0, 16, 32]);
  }
});

test('a body longer than the kept part needs no valid ending', () => {
  const cut = `{"ok":true,"data":{"items":["${'é'.repeat(140_000)}`;
  expect(judged([cut, `{"data":{"items":["${'x'.repeat(300_000)}`, 'x'.repeat(300_000)])).toEqual([true, true, false]);
});
