import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { diagnose } from './signature-diagnosis.js';
import { delivery, header, hex, otherSecret, payload, secret } from '../test-kit.js';

const event = payload('deal.funded');
const body = JSON.stringify(event);
const earlier = delivery(1, payload('lead.created'));
const right = hex(secret, body);

const causes: readonly (readonly [string, string, RegExp])[] = [
  ['SHA-1', createHmac('sha1', secret).update(body).digest('hex'), /SHA1/],
  ['SHA-512', `sha512=${createHmac('sha512', secret).update(body).digest('base64')}`, /SHA512/],
  ['the other secret', `sha256=${hex(otherSecret, body)}`, /other tenant's secret/],
  ['an indented copy', hex(secret, JSON.stringify(event, null, 2)), /written again \(indented by 2/],
  ['a copy indented otherwise', hex(secret, JSON.stringify(event, null, 1)), /written again \(indented by 1/],
  [
    'an escaped copy',
    hex(
      secret,
      body.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ),
    /non-ASCII letters escaped/,
  ],
  ['half a signature', right.slice(0, 32), /cut or lengthened: 32 of 64/],
  ['a lengthened signature', `${right}abcd`, /4 characters too many/],
  ['another delivery', hex(secret, earlier.wire), /signature of another delivery/],
  ['a line feed', hex(secret, `${body}\n`), /line break at its end/],
  ['the data alone', hex(secret, JSON.stringify(event['data'])), /only the field data/],
  ['a plain hash', createHash('sha256').update(body).digest('hex'), /plain SHA-256 of the body/],
  [
    'a hash of secret and body',
    createHash('sha256')
      .update(secret + body)
      .digest('hex'),
    /not an HMAC/,
  ],
  ['exchanged arguments', hex(body, secret), /of the secret, keyed with the body/],
  ['the API key', hex('api-key-0001', body), /keyed with API_KEY/],
  ['no body', hex(secret, ''), /empty message/],
  ['an HMAC of the HMAC', hex(secret, right), /HMAC of the HMAC/],
  ['a short word', 'signed', /too short/],
  ['an asymmetric signature', `v1a,${Buffer.alloc(64, 7).toString('base64')}`, /asymmetric signature \(v1a/],
];

for (const [name, value, said] of causes) {
  test(`the nearest cause is named: ${name}`, () => {
    const made = delivery(2, body, { headers: [['x-service-signature', value]] });
    const cause = diagnose(made, {
      secret,
      otherSecret,
      header,
      suspects: [['API_KEY', 'api-key-0001']],
      others: [earlier, made],
    });
    expect(cause ?? 'no known').toMatch(said);
  });
}

test('a signature made before compression is named as such', () => {
  const made = delivery(1, body, {
    wire: gzipSync(body),
    headers: [
      ['content-encoding', 'gzip'],
      ['x-service-signature', right],
    ],
  });
  expect(diagnose(made, { secret, otherSecret: null, header, suspects: [], others: [] })).toMatch(
    /before its content-encoding/,
  );
});

test('nothing is invented where nothing fits', () => {
  const made = delivery(1, body, { headers: [['x-service-signature', hex('nobody knows', 'this')]] });
  expect(diagnose(made, { secret, otherSecret, header, suspects: [], others: [made] })).toBeNull();
});
