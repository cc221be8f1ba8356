import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import type { HeaderLine } from './exchange.js';
import { serveBodies, type Loopback } from '../loopback.test-kit.js';
import { curlFor, curlThatShows } from './curl.js';
import { sampleExchange } from '../reports/test-kit.js';
import { unseen } from '../visible.js';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let server: Loopback;
let base: string;
let seen: Seen | null = null;
const run = promisify(execFile);
const shells = ['sh', 'bash'];

test.beforeAll(async () => {
  server = await serveBodies(({ method = '', url = '', headers }, body, response) => {
    seen = { method, url, headers, body };
    response.end('ok');
  });
  base = server.url;
});

test.afterAll(() => server.close());

interface CurlCase {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly HeaderLine[];
  readonly body?: Buffer | null;
}

function lineFor(curlCase: CurlCase): string {
  const { path = '/api/v1/units', ...request } = curlCase;
  return curlFor(sampleExchange(7, { headers: [], ...request, url: `${base}${path}` }));
}

async function play(line: string, shell: string, environment: Record<string, string> = {}): Promise<Seen> {
  seen = null;
  await run(shell, ['-c', line], {
    env: { PATH: process.env['PATH'], NO_PROXY: '*', HOME: '/nonexistent', ...environment },
    timeout: 10_000,
  });
  if (seen === null) throw new Error(`nothing arrived for: ${line}`);
  return seen;
}

test('a plain read is as short as can be', () => {
  expect(lineFor({ path: '/api/v1/units' })).toBe(`curl -i ${base}/api/v1/units`);
  expect(lineFor({ method: 'HEAD' })).toBe(`curl -I ${base}/api/v1/units`);
  expect(lineFor({ method: 'DELETE', path: '/api/demo/units?limit=5' })).toBe(
    `curl -i -X DELETE '${base}/api/demo/units?limit=5'`,
  );
});

test('secrets are variables named as their settings, joined to what stands around them', () => {
  const line = lineFor({
    path: '/api/v1/units?key=[redacted:API_KEY]x',
    headers: [
      ['authorization', 'Bearer [redacted:API_KEY_READ_LEADS]'],
      ['x-a', 'cost: $5 [redacted:OTHER_API_KEY]!'],
      ['x-b', '[redacted:an odd name]'],
    ],
  });
  expect(line).toBe(
    `curl -i "${base}/api/v1/units?key=\${API_KEY}x" -H "authorization: Bearer $API_KEY_READ_LEADS" -H 'x-a: cost: $5 '"$OTHER_API_KEY"'!' -H "x-b: $an_odd_name"`,
  );
});

test('a create is one line with its body as it was', () => {
  const body = Buffer.from('{"name":"Zoë O\'Hara","phone":"+15550100"}');
  expect(
    lineFor({ method: 'POST', path: '/api/v1/leads', headers: [['content-type', 'application/json']], body }),
  ).toBe(
    `curl -i ${base}/api/v1/leads -H 'content-type: application/json' -d '{"name":"Zoë O'\\''Hara","phone":"+15550100"}'`,
  );
});

for (const shell of shells) {
  test(`${shell} sends the same method, path, headers and bytes for bodies of every kind`, async () => {
    const bodies: readonly (readonly [string, Buffer])[] = [
      ['empty', Buffer.alloc(0)],
      ['at sign', Buffer.from('@/etc/passwd')],
      ['minus', Buffer.from('-n %s \\n \x01')],
      ['quotes', Buffer.from(`'"$HOME\`id\`!\\ %41`)],
      ['newlines at the end', Buffer.from('{"a":1}\r\n\n')],
      ['direction override', Buffer.from('{"name":"\u202Eabc\u200d"}')],
      ['NUL', Buffer.from('a\0b1\0')],
      ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x80, 0x31, 0x25, 0x5c])],
      ['all bytes', Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256))],
      ['a mebibyte of one letter', Buffer.alloc(1024 * 1024, 'a')],
      ['deep nesting', Buffer.from('['.repeat(20_000) + ']'.repeat(20_000))],
    ];
    for (const [name, body] of bodies) {
      const line = lineFor({
        method: 'PUT',
        path: '/api/v1/leads?x=a%20b&y[]=1',
        headers: [['x-tenant', 'north']],
        body,
      });
      expect(line.length, name).toBeLessThan(5_000);
      const got = await play(line, shell);
      expect([got.method, got.url, got.headers['x-tenant'], got.headers['content-type']], name).toEqual([
        'PUT',
        '/api/v1/leads?x=a%20b&y[]=1',
        'north',
        undefined,
      ]);
      expect(got.body.equals(body), name).toBe(true);
    }
  });

  test(`${shell} puts secrets back into paths, headers, text and binary bodies`, async () => {
    const secret = 'k"ey $HOME`x`\\%s\'!';
    const [text, binary] = ['{"key":"[redacted:API_KEY]"}', 'a\0[redacted:API_KEY]%\x01'].map((body) =>
      Buffer.from(body),
    );
    for (const body of [text, binary]) {
      const got = await play(
        lineFor({ method: 'POST', headers: [['authorization', 'Bearer [redacted:API_KEY]']], body: body ?? null }),
        shell,
        { API_KEY: secret },
      );
      expect(got.headers['authorization']).toBe(`Bearer ${secret}`);
      expect(got.body.toString()).toBe(String(body).replace('[redacted:API_KEY]', secret));
    }
  });

  test(`${shell} sends odd headers and paths as the client did`, async () => {
    const got = await play(
      lineFor({
        path: '/api/v1/units/ü {x}?q="<\u202e>&l=[1-3]',
        headers: [
          ['x-empty', ''],
          ['x-latin', 'caf\u00e9 \u0085'],
          ['x-quote', `a'b"c`],
          ['authorization', 'Bearer'],
        ],
      }),
      shell,
    );
    expect(got.url).toBe('/api/v1/units/%C3%BC%20%7Bx%7D?q=%22%3C%E2%80%AE%3E&l=[1-3]');
    expect([
      got.headers['x-empty'],
      got.headers['x-latin'],
      got.headers['x-quote'],
      got.headers['authorization'],
    ]).toEqual(['', 'caf\u00e9 \u0085', `a'b"c`, 'Bearer']);
  });
}

test('creates with one key that were under way together are sent at once with a new key, others alone', () => {
  const create = (seq: number, key: string) => {
    const headers: HeaderLine[] = [['Idempotency-Key', key]];
    return {
      ...sampleExchange(seq, { method: 'POST', headers, body: Buffer.from('{}') }),
      sentAtMs: seq,
      receivedAtMs: 9,
    };
  };
  const [one, other] = ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', '00000000-8b86-4d01-b42d-00cf4fc964ff'];
  const shown = curlThatShows([create(1, one), create(2, one), create(3, other)]);
  expect(shown).toMatch(
    /^key=\$\(node -p 'crypto\.randomUUID\(\)'\); curl .* -H "Idempotency-Key: \$key" .* & curl .* "Idempotency-Key: \$key" .* & wait$/,
  );
  const later = { ...create(2, one), sentAtMs: 10, receivedAtMs: 11 };
  for (const others of [[create(2, other)], [later]])
    expect(curlThatShows([create(1, one), ...others])).toMatch(/^curl -i (?!.*& wait)/);
});

test('a body that cannot be packed into a line is named, with its size', () => {
  const body = Buffer.from(
    fc.sample(fc.uint8Array({ minLength: 9_000, maxLength: 9_000 }), { seed: 5, numRuns: 1 })[0] ?? [],
  );
  expect(lineFor({ method: 'POST', body })).toBe(
    `curl -i ${base}/api/v1/units -H 'content-type:' --data-binary @exchange-7.body # the 9000 bytes are in the evidence`,
  );
});

test('whatever was sent, the line is one line of visible characters that sends it again', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom("'", '"', '$(id)', '`', '\\', '!', '%', '\n', '[redacted:', ']', '\u202e', '\0'),
  );
  const bytes = fc.oneof(
    fc.array(piece).map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ maxLength: 64 }).map((some) => Buffer.from(some)),
  );
  const value = fc.string({
    unit: fc
      .integer({ min: 0x21, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(
      bytes.filter((body) => !/\[redacted:[^\]]*\]/.test(body.toString('latin1'))),
      value.filter((text) => !text.includes('[redacted:')),
      async (body, text) => {
        const line = lineFor({
          method: 'POST',
          path: `/p?q=${encodeURIComponent(text)}`,
          headers: [['x-v', text]],
          body,
        });
        expect(line.search(unseen)).toBe(-1);
        const got = await play(line, 'sh');
        expect(got.body.equals(body)).toBe(true);
        expect(got.headers['x-v']).toBe(text);
        expect(got.url).toBe(`/p?q=${new URL(`http://h/?q=${encodeURIComponent(text)}`).search.slice(3)}`);
      },
    ),
    { seed: 11, numRuns: 25 },
  );
});
