import { createHmac } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { sign as octokitSign } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { digestEncodings, signatureLabels, verifyingForms } from './signature-forms.js';
import type { HeaderLine } from '../../http/exchange.js';
import { diagnose } from './signature-diagnosis.js';
import { delivery, header, otherSecret, payload, secret } from '../test-kit.js';

const labels = [
  ...signatureLabels.map((label) => label.replace('{time}', '1767322800')),
  ...['HMAC-SHA256 ', 'sha256-', 't=1767322800, v1=', 'keyId="a",signature="'],
];
const keys = [
  ['text', secret, Buffer.from(secret)],
  ['base64', Buffer.alloc(24, 'k1').toString('base64'), Buffer.alloc(24, 'k1')],
  ['base64 as text', Buffer.alloc(24, 'k1').toString('base64'), Buffer.from(Buffer.alloc(24, 'k1').toString('base64'))],
  ['hex', 'a1b2c3d4e5f60718293a4b5c6d7e8f90', Buffer.from('a1b2c3d4e5f60718293a4b5c6d7e8f90', 'hex')],
  ['whsec_ and base64', `whsec_${Buffer.alloc(24, 'k2').toString('base64')}`, Buffer.alloc(24, 'k2')],
  ['whsec_ and text', 'whsec_not base64 at all', Buffer.from('not base64 at all')],
] as const;
const bodies = [JSON.stringify(payload('deal.funded')), '', '{"a": 1}\n', Buffer.from([0xff, 0, 0xfe])].map((body) =>
  Buffer.from(body),
);

/** The readings of a signature of this value over a body. */
const formsOf = (value: string, body: Buffer | string): ReturnType<typeof verifyingForms> =>
  verifyingForms(delivery(1, body, { headers: [['x-service-signature', value]] }), secret, header);

test('every encoding, label and key over the raw body verifies, and nothing else does', () => {
  // One assertion at the end: thousands of them would take longer than what they assert.
  const problems: string[] = [];
  for (const [name, said, key] of keys) {
    for (const encoding of digestEncodings) {
      for (const label of labels) {
        const where = `${name}, ${encoding.name}, ${label}`;
        for (const [at, body] of bodies.entries()) {
          const value = `${label}${encoding.write(createHmac('sha256', key).update(body).digest())}${label.endsWith('"') ? '"' : ''}`;
          const made = delivery(at + 1, body, { headers: [['x-service-signature', value]] });
          const changed = Buffer.concat([body, Buffer.from('!')]);
          if (verifyingForms({ ...made, wire: changed }, said, header).length > 0)
            problems.push(`${where}: another body`);
          if (verifyingForms(made, otherSecret, header).length > 0) problems.push(`${where}: another secret`);
          if (verifyingForms(made, said, 'X-Other').length > 0) problems.push(`${where}: another header`);
          const found = verifyingForms(made, said, header);
          if (!found.some((form) => form.encoding === encoding.name)) problems.push(`${where}: not found`);
        }
      }
    }
  }
  expect(problems).toEqual([]);
});

test('a signature that is cut, lengthened, of another hash, or that stays the same is none', () => {
  const body = bodies[0] ?? Buffer.alloc(0);
  const right = createHmac('sha256', secret).update(body).digest('hex');
  for (const value of [
    right.slice(0, 32),
    right.slice(1),
    `${right}00`,
    `0${right}`,
    createHmac('sha1', secret).update(body).digest('hex'),
    createHmac('sha256', secret).digest('hex'),
    'sha256=',
    '',
  ])
    expect(formsOf(value, body), value).toEqual([]);
});

test('the right signature among several, or on a second header line, is found', () => {
  const body = bodies[0] ?? Buffer.alloc(0);
  const right = createHmac('sha256', secret).update(body).digest('hex');
  const wrong = createHmac('sha256', otherSecret).update(body).digest('hex');
  expect(formsOf(`v1=${wrong},v1=${right}`, body)).toHaveLength(1);
  const headers = [wrong, right].map((value) => ['x-service-signature', value] as const);
  expect(verifyingForms(delivery(1, body, { headers }), secret, header)).toHaveLength(1);
});

test('senders made with real libraries are read as what they are', async () => {
  const text = JSON.stringify(payload('lead.created'));
  expect(formsOf(await octokitSign(secret, text), text)).toEqual([
    expect.objectContaining({ encoding: 'hex', label: 'sha256=' }),
  ]);
  const causeOf = (headers: readonly HeaderLine[], key = secret): string | null => {
    const made = delivery(1, text, { headers });
    expect(verifyingForms(made, key, header)).toEqual([]);
    return diagnose(made, { secret: key, otherSecret, header, suspects: [], others: [] });
  };
  const time = Math.floor(Date.now() / 1_000);
  const { webhooks } = new Stripe('sk_test_nothing');
  const stamped = webhooks.generateTestHeaderString({ payload: text, secret, timestamp: time });
  expect(causeOf([['x-service-signature', stamped]])).toMatch(/the time stamp beside it, ".", the body/);
  const base64Secret = `whsec_${Buffer.alloc(24, 'lib').toString('base64')}`;
  for (const [library, name] of [
    [new StandardWebhook(base64Secret), 'webhook'],
    [new SvixWebhook(base64Secret), 'svix'],
  ] as const) {
    const own = ['x-service-signature', library.sign('msg_1', new Date(time * 1_000), text)] as const;
    const headers = [[`${name}-id`, 'msg_1'] as const, [`${name}-timestamp`, String(time)] as const, own];
    expect(causeOf(headers, base64Secret)).toMatch(/the id \(.*\), ".", the time stamp \(.*\), ".", the body/);
  }
});
