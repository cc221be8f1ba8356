/** A request body that no JSON client would send. */
export interface FuzzBody {
  readonly name: string;
  readonly bytes: Buffer;
  /** The Content-Type header; null = none is sent. */
  readonly contentType: string | null;
  readonly group: FuzzGroup;
  /** So large that a service may close the connection while it is still being sent. */
  readonly large?: true;
  /** The unit of its size, and the same kind of body in another size. */
  readonly size?: number;
  readonly ofSize?: (size: number) => FuzzBody;
}

/** Bodies of a kind are sent together; after each group the service must still answer. */
export type FuzzGroup =
  'malformed' | 'not an object' | 'content type' | 'encoding' | 'keys' | 'values' | 'numbers' | 'size';

/** The members of a lead that hostile bodies are built around. */
export interface FuzzSeed {
  readonly name: string;
  readonly phone: string;
  readonly vehicleId: string;
}

const json = 'application/json';

/** What makes the bodies of each group, the same for the same lead; without `thorough` only those of the quick run. */
export function fuzzGroups(thorough: boolean): readonly ((seed: FuzzSeed) => readonly FuzzBody[])[] {
  const all = [malformed, notObjects, contentTypes, encodings, keys, values, numbers, sizes];
  return thorough ? all : all.map((make) => (seed) => make(seed).filter(({ name }) => common.has(name)));
}

/** The bodies of the quick run: those that real services have been seen to fall over. */
const common = new Set([
  'an empty body', 'white space only', 'an opening brace only', 'cut within a string', 'a trailing comma', 'an unquoted key', 'comments',
  'garbage after the object', 'a bare word', 'a bad escape', 'an XML document', 'null', 'an empty list', 'a list of leads', 'the number 42',
  'a string', 'true', 'an empty object', 'no content type', 'an empty body without a content type', 'text/plain', 'application/xml', 'a form',
  'JSON said to be a form', 'a form said to be JSON', 'multipart without a boundary', 'application/octet-stream', 'a content type that is none',
  'charset utf-16 over UTF-8 bytes', 'a byte order mark', 'UTF-16 little endian', 'a byte that UTF-8 never has', 'a cut UTF-8 sequence',
  'a lone surrogate in raw bytes', 'a lone high surrogate, escaped', 'a lone low surrogate, escaped', 'a NUL in a string, escaped', 'bytes at random',
  'a key given twice', 'a key given twice with other types', '__proto__ as a key', 'constructor.prototype as a key', 'toJSON as a key',
  'keys with dots and dollars', 'a lone surrogate in a key', 'nothing but the prototype', 'an empty name', 'a name with every control character',
  'an empty phone', 'a phone of 400 digits', 'an empty vehicleId', 'a vehicleId with a quote', 'null for the name', 'an object for the name',
  'a number for the phone', 'null for the vehicleId', 'a list for the vehicleId', 'an object for the source', 'a number beyond every double',
  'a number beyond every double in a new field', 'minus zero', 'NaN', 'a leading zero', 'a phone as a number', 'open nesting, 10000 deep',
  'closed nesting of lists, 10000 deep', 'a field nested 10000 deep', 'a name nested 10000 deep', 'a name of 90 KiB', 'a name of 768 KiB', 'a name of 1 MiB', 'an unknown field of 1 MiB',
  '20000 keys', '1 MiB of garbage',
]); // prettier-ignore

type Draft = readonly [name: string, body: string | Buffer, contentType?: string | null];

function group(name: FuzzGroup, drafts: readonly Draft[], large = false): readonly FuzzBody[] {
  return drafts.map(([label, body, contentType = json]) => ({
    name: label,
    bytes: typeof body === 'string' ? Buffer.from(body, 'utf8') : body,
    contentType,
    group: name,
    ...(large || body.length > 16_000 ? { large: true as const } : {}),
  }));
}

function malformed(seed: FuzzSeed): readonly FuzzBody[] {
  const good = JSON.stringify(seed);
  return group('malformed', [
    ['an empty body', ''],
    ['white space only', ' \r\n\t '],
    ['an opening brace only', '{'],
    ['a closing brace only', '}'],
    ['cut within a string', good.slice(0, Math.floor(good.length / 2))],
    ['cut before the last brace', good.slice(0, -1)],
    ['a trailing comma', `${good.slice(0, -1)},}`],
    ['a leading comma', `{,${good.slice(1)}`],
    ['a missing colon', good.replace(':', ' ')],
    ['an unquoted key', good.replace('"name"', 'name')],
    ['single quotes', good.replaceAll('"', "'")],
    ['comments', `/* lead */ ${good} // end`],
    ['garbage after the object', `${good}garbage`],
    ['text after white space', `${good}\n\nx`],
    ['two objects on two lines', `${good}\n${good}`],
    ['a bare word', 'lead'],
    ['the word undefined', 'undefined'],
    ['a control character in a string', good.replace(seed.name, 'Ana\u0001\nExample')],
    ['a bad escape', good.replace(seed.name, 'Ana \\x41')],
    ['half an escape', good.replace(seed.name, 'Ana \\u12')],
    ['an XML document', '<?xml version="1.0"?><lead><name>Ana</name></lead>'],
  ]);
}

function notObjects(): readonly FuzzBody[] {
  return group('not an object', [
    ['null', 'null'],
    ['an empty list', '[]'],
    ['a list of leads', '[{"name":"Ana","phone":"+12015550123","vehicleId":"x"}]'],
    ['a nested array', '[[[[]]]]'],
    ['the number 42', '42'],
    ['the number 0', '0'],
    ['a string', '"Ana Example"'],
    ['an empty string', '""'],
    ['true', 'true'],
    ['false', 'false'],
    ['an empty object', '{}'],
  ]);
}

function contentTypes(seed: FuzzSeed): readonly FuzzBody[] {
  const good = JSON.stringify(seed);
  const form = new URLSearchParams({ ...seed }).toString();
  return group('content type', [
    ['no content type', good, null],
    ['an empty body without a content type', '', null],
    ['text/plain', good, 'text/plain'],
    ['text/json', good, 'text/json'],
    ['application/xml', good, 'application/xml'],
    ['a form', form, 'application/x-www-form-urlencoded'],
    ['JSON said to be a form', good, 'application/x-www-form-urlencoded'],
    ['a form said to be JSON', form],
    ['multipart without a boundary', good, 'multipart/form-data'],
    ['multipart without parts', '--b--\r\n', 'multipart/form-data; boundary=b'],
    ['application/octet-stream', good, 'application/octet-stream'],
    ['application/merge-patch+json', good, 'application/merge-patch+json'],
    ['a content type that is none', good, 'json'],
    ['an odd parameter', good, 'application/json; charset'],
    ['application/json twice', good, 'application/json, application/json'],
    ['upper case', good, 'APPLICATION/JSON'],
    ['an unknown charset', good, 'application/json; charset=klingon'],
    ['charset utf-16 over UTF-8 bytes', good, 'application/json; charset=utf-16'],
    ['charset iso-8859-1', good, 'application/json; charset=iso-8859-1'],
  ]);
}

function utf32(text: string): Buffer {
  const bytes = Buffer.alloc(Array.from(text).length * 4);
  Array.from(text).forEach((character, index) => bytes.writeUInt32LE(character.codePointAt(0) ?? 0, index * 4));
  return bytes;
}

/** The good body with these bytes in the place of the name. */
function withNameBytes(seed: FuzzSeed, name: readonly number[]): Buffer {
  const [before = '', after = ''] = JSON.stringify({ ...seed, name: '@@' }).split('@@');
  return Buffer.concat([Buffer.from(before), Buffer.from(name), Buffer.from(after)]);
}

function encodings(seed: FuzzSeed): readonly FuzzBody[] {
  const good = JSON.stringify(seed);
  const utf16 = Buffer.from(good, 'utf16le');
  return group('encoding', [
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good)])],
    ['a byte order mark alone', Buffer.from([0xef, 0xbb, 0xbf])],
    ['UTF-16 little endian', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    [
      'UTF-16 big endian',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      'application/json; charset=utf-16be',
    ],
    ['UTF-32', utf32(good)],
    ['a byte that UTF-8 never has', withNameBytes(seed, [0x41, 0xff, 0x42])],
    ['a cut UTF-8 sequence', withNameBytes(seed, [0x41, 0xe2, 0x82])],
    ['overlong UTF-8', withNameBytes(seed, [0xc0, 0xaf])],
    ['a lone surrogate in raw bytes', withNameBytes(seed, [0xed, 0xa0, 0x80])],
    ['a lone high surrogate, escaped', good.replace(JSON.stringify(seed.name), '"Ana \\ud83d"')],
    ['a lone low surrogate, escaped', good.replace(JSON.stringify(seed.name), '"\\ude00 Ana"')],
    ['surrogates in the wrong order', good.replace(JSON.stringify(seed.name), '"\\ude00\\ud83d"')],
    ['a NUL in a string, escaped', good.replace(JSON.stringify(seed.name), '"Ana\\u0000Example"')],
    ['a NUL byte after the object', Buffer.concat([Buffer.from(good), Buffer.from([0])])],
    ['bytes at random', Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 167 + 13) % 256))],
  ]);
}

function keys(seed: FuzzSeed): readonly FuzzBody[] {
  const inside = JSON.stringify(seed).slice(1, -1);
  return group('keys', [
    ['a key given twice', `{${inside},"name":"Second Name"}`],
    ['a key given twice with other types', `{"name":{},${inside},"phone":[1]}`],
    ['__proto__ as a key', `{${inside},"__proto__":{"polluted":"conformance","isAdmin":true}}`],
    ['__proto__ with null', `{${inside},"__proto__":null}`],
    ['constructor.prototype as a key', `{${inside},"constructor":{"prototype":{"polluted":"conformance"}}}`],
    ['hasOwnProperty as a key', `{${inside},"hasOwnProperty":1}`],
    ['toString as a key', `{${inside},"toString":1,"valueOf":null}`],
    ['toJSON as a key', `{${inside},"toJSON":"x"}`],
    ['an empty key', `{${inside},"":""}`],
    ['keys with dots and dollars', `{${inside},"a.b":1,"$where":"1","$ne":null}`],
    ['a key of 64 KiB', `{${inside},"${'k'.repeat(65_536)}":1}`],
    ['a lone surrogate in a key', `{${inside},"\\ud800":1}`],
    ['nothing but the prototype', '{"__proto__":{"name":"Ana","phone":"+12015550123","vehicleId":"x"}}'],
  ]);
}

function values(seed: FuzzSeed): readonly FuzzBody[] {
  const but = (field: string, value: unknown): string => JSON.stringify({ ...seed, [field]: value });
  const drafts: Draft[] = [
    ['an empty name', but('name', '')],
    ['a name of blanks', but('name', '   ')],
    ['a name of markup', but('name', '<script>alert(1)</script>')],
    [
      'a name with every control character',
      but('name', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')),
    ],
    ['an empty phone', but('phone', '')],
    ['a phone of words', but('phone', 'call me')],
    ['a bare plus for a phone', but('phone', '+')],
    ['a phone of 400 digits', but('phone', `+${'9'.repeat(400)}`)],
    ['an empty vehicleId', but('vehicleId', '')],
    ['a vehicleId that climbs', but('vehicleId', '../../../etc/passwd')],
    ['a vehicleId with a quote', but('vehicleId', "x' OR '1'='1")],
    ['a vehicleId with a NUL', but('vehicleId', 'x\u0000')],
    ['an empty source', but('source', '')],
  ];
  for (const field of ['name', 'phone', 'vehicleId']) {
    for (const [label, value] of [
      ['null', null],
      ['a number', 7],
      ['a list', []],
      ['an object', { $gt: '' }],
      ['true', true],
    ] as const) {
      drafts.push([`${label} for the ${field}`, but(field, value)]);
    }
  }
  for (const [label, value] of [
    ['null', null],
    ['a list', ['web']],
    ['an object', {}],
  ] as const)
    drafts.push([`${label} for the source`, but('source', value)]);
  return group('values', drafts);
}

function numbers(seed: FuzzSeed): readonly FuzzBody[] {
  const raw = (field: string, literal: string): string =>
    JSON.stringify({ ...seed, [field]: '@@' }).replace('"@@"', literal);
  return group('numbers', [
    ['a number beyond every double', raw('name', '1e400')],
    ['a number beyond every double in a new field', raw('score', '1e400')],
    ['minus infinity by exponent', raw('score', '-1e999999')],
    ['a very small number', raw('score', '1e-400')],
    ['minus zero', raw('score', '-0')],
    ['minus zero for the phone', raw('phone', '-0')],
    ['a number with a hundred digits', raw('score', '9'.repeat(100))],
    ['NaN', raw('score', 'NaN')],
    ['Infinity', raw('score', 'Infinity')],
    ['a hexadecimal number', raw('score', '0x10')],
    ['a leading zero', raw('score', '007')],
    ['a phone as a number', raw('phone', '12015550123')],
  ]);
}

/** A body that grows with a number: of levels, of bytes or of members. */
type Growing = readonly [name: string, size: number, ofSize: (size: number) => string];

function growing(drafts: readonly Growing[], large = false): readonly FuzzBody[] {
  return drafts.flatMap(([name, size, ofSize]) => {
    const atSize = (one: number): readonly FuzzBody[] => group('size', [[name, ofSize(one)]], large);
    return atSize(size).map((body) => ({ ...body, size, ofSize: (one: number) => atSize(one)[0] ?? body }));
  });
}

function sizes(seed: FuzzSeed): readonly FuzzBody[] {
  const [megabyte, inside] = [1_048_576, JSON.stringify(seed).slice(1, -1)];
  const lists = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const named = (name: string): string => JSON.stringify({ ...seed, name });
  return [
    ...growing([
      ['open nesting, 10000 deep', 10_000, (depth) => '['.repeat(depth)],
      ['closed nesting of lists, 10000 deep', 10_000, lists],
      ['a field nested 10000 deep', 10_000, (depth) => `{${inside},"extra":${objects(depth)}}`],
      ['a name nested 10000 deep', 10_000, (depth) => named('@@').replace('"@@"', lists(depth))],
      ['closed nesting of objects, 1000 deep', 1000, objects],
    ]),
    ...growing(
      [
        ['a name of 90 KiB', 92_160, (length) => named('A'.repeat(length))],
        ['a name of 768 KiB', 786_432, (length) => named('A'.repeat(length))],
        ['a name of 1 MiB', megabyte, (length) => named('A'.repeat(length))],
        ['a name of 1 MiB of emoji', megabyte / 4, (length) => named('😀'.repeat(length))],
        ['an unknown field of 1 MiB', megabyte, (length) => `{${inside},"notes":"${'x'.repeat(length)}"}`],
        ['1 MiB of white space around the lead', megabyte, (length) => `${' '.repeat(length)}{${inside}}`],
        [
          '20000 keys',
          20_000,
          (count) =>
            `{${inside},${Array.from({ length: count }, (_, index) => `"k${String(index)}":${String(index)}`).join(',')}}`,
        ],
        ['a list of 100000 numbers', 100_000, (count) => `[${'1,'.repeat(count - 1)}1]`],
        ['1 MiB of garbage', megabyte, (length) => 'x'.repeat(length)],
      ],
      true,
    ),
  ];
}
