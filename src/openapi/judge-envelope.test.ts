import { expect, test } from '@playwright/test';
import { judgeEnvelope } from './judge-envelope.js';
import { leakIn } from './leaks.js';
import { answered } from './test-kit.js';

type AnswerOptions = Parameters<typeof answered>[2];

const good = { ok: true, data: {} };
const bad = { ok: false, error: {} };

const conforming: readonly (readonly [string, number, unknown, AnswerOptions?])[] = [
  ['a success', 200, good],
  ['a creation', 201, { ok: true, data: { id: 'a' }, meta: { took: 1 }, requestId: 'r' }],
  ['a failure', 404, bad],
  ['a failure of the server', 500, { ok: false, error: { code: 'x', message: 'Something went wrong.' } }],
  ['error null beside data', 200, { ...good, error: null }],
  ['data null beside error', 400, { ...bad, data: null }],
  ['a failure as problem details', 404, bad, { type: 'application/problem+json' }],
  ...[
    'application/json; charset=utf-8',
    'application/vnd.dealer.v1+json',
    'application/json;charset="UTF-8"',
    'Application/JSON ; charset=utf8',
    'application/json; profile=x',
  ].map((type) => [type, 200, good, { type }] as const),
  ['an answer to HEAD', 200, '', { method: 'HEAD', type: null }],
  [
    'a record that says redacted',
    200,
    { ok: true, data: { phone: '[redacted: personal]', email: '[redacted:email]' } },
  ],
];

for (const [name, status, body, options] of conforming) {
  test(`an envelope is left alone: ${name}`, () => expect(judgeEnvelope(answered(status, body, options))).toEqual([]));
}

const faulty: readonly (readonly [string, number, unknown, readonly string[], AnswerOptions?])[] = [
  ['no JSON', 200, '<html>', ['ENV-01', 'ENV-02']],
  ['an array', 200, [], ['ENV-01', 'ENV-02']],
  ['null', 404, null, ['ENV-01', 'ENV-03']],
  ['nothing', 204, '', ['ENV-01', 'ENV-02']],
  ['no UTF-8', 200, null, ['ENV-01'], { bytes: Buffer.from([0x7b, 0xff, 0x7d]) }],
  ['a byte order mark', 200, `\ufeff${JSON.stringify(good)}`, ['ENV-01', 'ENV-02']],
  ['ok as text', 200, { ok: 'true', data: {} }, ['ENV-01']],
  ['ok as a number', 404, { ok: 0, error: {} }, ['ENV-01']],
  ['no ok', 200, { data: {} }, ['ENV-01', 'ENV-02']],
  ['another content type', 200, good, ['ENV-01'], { type: 'text/html' }],
  ['JSON under no type of its own', 200, good, ['ENV-01'], { type: 'text/json' }],
  ['no content type', 200, good, ['ENV-01'], { type: null }],
  ['another charset', 200, good, ['ENV-01'], { type: 'application/json; charset=iso-8859-1' }],
  ['ok: false with 200', 200, { ok: false, data: {} }, ['ENV-03']],
  ['no data', 200, { ok: true }, ['ENV-02']],
  ['data as an array', 200, { ok: true, data: [] }, ['ENV-02']],
  ['data null', 200, { ok: true, data: null }, ['ENV-02']],
  ['ok: true with 404', 404, { ok: true, error: {} }, ['ENV-03']],
  ['no error', 404, { ok: false }, ['ENV-03']],
  ['error as text', 400, { ok: false, error: 'no' }, ['ENV-03']],
  ['error null', 400, { ok: false, error: null }, ['ENV-03']],
  ['data beside error', 400, { ...bad, data: {} }, ['ENV-07']],
  ['error beside data', 200, { ...good, error: {} }, ['ENV-07']],
  ['a trace', 500, { ok: false, error: { stack: 'Error\n    at run (/srv/a/b.js:1:2)' } }, ['ENV-07']],
  ['a key', 401, { ok: false, error: { message: 'unknown key [redacted:API_KEY]' } }, ['ENV-07']],
];

for (const [name, status, body, ids, options] of faulty) {
  test(`an incorrect envelope is named by its fault: ${name}`, () => {
    const found = judgeEnvelope(answered(status, body, options));
    expect(found.map((one) => one.id)).toEqual(ids);
    if (status === 204) expect(found[0]?.actual).toContain('204, which has no body');
    expect(new Set(found.map((one) => one.soft))).toEqual(new Set([ids.includes('ENV-07')]));
  });
}

const ordinary = [
  'The field "phone" must be a phone number such as +14155550100.',
  'name: "O\'Brien; DROP TABLE x" is too long',
  'Invalid JSON at line 1:15',
  'Unexpected token } in JSON at position 12',
  'Retry at 12 Jan 2026 10:30:00',
  'Resets at Fri 10:30',
  'at least one of name, phone:1',
  '/data/items/0/vehicleId',
  '/name',
  'instancePath: /vehicleId',
  'See https://docs.example.com/errors/app.js',
  'No route for GET /api/v1/units/home',
  'https://dealer.example.rs:8080/units',
  'FLORA-12345 is no stock number',
  'version 1.2.3',
  '2026-01-15T12:00:00Z',
  'Please select a unit from the list.',
  'You may update the lead and set a source where needed',
  'Unit not found: ../../units',
  'must match pattern "^\\+[1-9]\\d{6,14}$"',
  'Meet at noon (10:30)',
  'C: drive',
  'user@example.com:22',
];

const traces = [
  'Error: x\n    at Object.run (/srv/app/index.js:10:5)',
  '    at async file:///app/dist/a.js:1:2',
  'at process.processTicks (node:internal/process/task_queues:95:5)',
  'at /home/node/app.js:3:4',
  'Traceback (most recent call last):\n  File "app.py", line 3, in x',
  'at com.example.Unit.get(Unit.java:42)',
  'goroutine 1 [running]:\nmain.main()',
  'main.go:12 +0x1d',
  "app/models/unit.rb:12:in `save'",
  '#0 /var/www/html/index.php(12): run()\n#1 {main}',
  '   at Shop.Units.Get(String id) in C:\\src\\Units.cs:line 12',
  '   at Shop.Units.Get(String id) in /src/Units.cs:line 12',
  'SELECT * FROM units WHERE id = $1',
  'INSERT INTO leads (name) VALUES ($1)',
  'ERROR: syntax error at or near "x"',
  'SQLSTATE[23000]: duplicate',
  'ER_DUP_ENTRY: x',
  'ORA-00942: table does not exist',
  'SQLITE_CONSTRAINT: UNIQUE constraint failed',
  'open /etc/passwd',
  'cannot read C:\\app\\config.json',
  'postgres://user:pass@db/x',
  'node_modules/express/lib',
  'PrismaClientKnownRequestError',
  'thread panicked, src/main.rs:4:5',
];

test('ordinary messages and echoed input leak nothing', () => {
  for (const text of ordinary) expect.soft(leakIn({ message: text, details: [{ value: text }] }), text).toBeNull();
});

test('what tells of the inside is found at any depth', () => {
  for (const text of traces) expect.soft(leakIn({ a: [{ b: `Failed: ${text}` }] }), text).not.toBeNull();
});

test('a byte order mark, which nobody sees, is named', () => {
  const [fault] = judgeEnvelope(answered(200, `\ufeff${JSON.stringify({ ok: true, data: {} })}`));
  expect(fault?.actual).toBe('no JSON: a byte order mark (RFC 8259 §8.1) and "{\\"ok\\":true,\\"data\\":{}}"');
});
