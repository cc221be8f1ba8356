import SwaggerParser from '@apidevtools/swagger-parser';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { bundleDocument } from '../../openapi/load/bundle-document.js';
import { readBehaviour } from '../behaviour.js';
import { variantOptions } from '../variant-options.js';
import { randomFrom } from '../random.js';
import { startReference, type Reference } from '../start-reference.js';
import { parse as parseYaml } from 'yaml';
import { servedDocument } from './served-document.js';
import { closing } from '../../loopback.test-kit.js';

type Json = Record<string, unknown>;

/** What swagger-parser, whose schema of OpenAPI 3.1 is of 2021, and Ajv alone refuse. */
const seldom = variantOptions.find((option) => option.name === 'document-details');

/** The ordinary service and others, each with every option turned at random. */
function variants(count: number): Record<string, string>[] {
  const random = randomFrom(7);
  const turned = Array.from({ length: count }, () =>
    Object.fromEntries(
      variantOptions.map((option) => [
        option.name,
        option === seldom
          ? option.default
          : (option.values[Math.floor(random() * option.values.length)] ?? option.default),
      ]),
    ),
  );
  return [{}, ...turned];
}

test('the document is valid OpenAPI under many options', async () => {
  test.setTimeout(120_000);
  for (const variant of [
    ...variants(3),
    ...variantOptions
      .filter((option) => option.name.startsWith('document-') && option !== seldom)
      .flatMap((option) => option.values.map((value) => ({ [option.name]: value }))),
  ]) {
    const document = JSON.parse(servedDocument(readBehaviour([], variant, 1), 'http://127.0.0.1:1')) as never;
    await expect(
      SwaggerParser.validate(document, { resolve: { external: false } }),
      JSON.stringify(variant),
    ).resolves.toBeTruthy();
  }
});

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

const key = '3b241101-e2bb-4255-8caf-4136c566a962';
const json = { 'content-type': 'application/json' };
const lead = JSON.stringify({ name: 'Zoë 😀', phone: '+14155550123', vehicleId: 'unit_none', source: 'website' });
const unit = JSON.stringify({
  vin: '1HGCM82633A004352',
  make: 'Honda',
  model: 'Accord',
  year: 2020,
  priceCents: 1_500_000,
});

function asks(unitId: string, variant: Json): Ask[] {
  const put = variant['second-unit-operation'] === 'put' ? 'PUT' : 'POST';
  return [
    { method: 'GET', path: '/units' },
    { method: 'GET', path: '/units?status=available&limit=10' },
    { method: 'GET', path: '/units?limit=abc' },
    { method: 'GET', path: `/units/${unitId}` },
    { method: 'GET', path: '/units/nobody' },
    { method: put, path: '/units', body: unit, headers: { ...json, 'idempotency-key': key } },
    { method: put, path: '/units', body: '{"vin":1}', headers: { ...json, 'idempotency-key': key.replace('3', '4') } },
    { method: 'PATCH', path: `/units/${unitId}`, body: '{"priceCents":100}', headers: json },
    { method: 'PUT', path: `/units/${unitId}`, body: '{"priceCents":100}', headers: json },
    { method: 'DELETE', path: '/units/nobody' },
    { method: 'POST', path: '/leads', body: lead, headers: { ...json, 'idempotency-key': key } },
    { method: 'POST', path: '/leads', body: lead, headers: { ...json, 'idempotency-key': key } },
    { method: 'POST', path: '/leads', body: lead.replace('Zoë', 'Bo'), headers: { ...json, 'idempotency-key': key } },
    {
      method: 'POST',
      path: '/leads',
      body: '{"name":1}',
      headers: { ...json, 'idempotency-key': key.replace('3', '4') },
    },
    { method: 'POST', path: '/leads', body: '[', headers: json },
    { method: 'POST', path: '/leads', body: lead, headers: { 'content-type': 'text/csv' } },
    { method: 'POST', path: '/leads', body: `"${'x'.repeat(1_100_000)}"`, headers: json },
    { method: 'GET', path: '/leads' },
    { method: 'GET', path: '/leads/nobody' },
    { method: 'GET', path: '/deals?limit=10' },
    { method: 'GET', path: '/deals', headers: { authorization: 'Bearer nobody' } },
    { method: 'GET', path: '/deals', headers: { 'x-tenant': 'hilltop-autos' } },
  ];
}

/** Where in the document the answer is declared, or null. */
function declared(document: Json, prefix: string, ask: Ask, status: number, type: string): string | null {
  const path = (ask.path.split('?')[0] ?? '').replace(/^\/(units|leads)\/.+$/, '/$1/{id}');
  const template = `${prefix}${path}`;
  const operation = ((document['paths'] as Record<string, Record<string, Json>>)[template] ?? {})[
    ask.method.toLowerCase()
  ];
  if (operation === undefined) return null;
  const responses = operation['responses'] as Json;
  const found = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((one) => one in responses);
  if (found === undefined) throw new Error(`${ask.method} ${ask.path} answers ${status}, which is not declared`);
  const escaped = (text: string): string => text.replaceAll('/', '~1');
  return `#/paths/${escaped(template)}/${ask.method.toLowerCase()}/responses/${found}/content/${escaped(type)}/schema`;
}

async function check(reference: Reference, variant: Record<string, string>): Promise<void> {
  const authorization = `Bearer ${reference.settings['API_KEY'] ?? ''}`;
  // Whatever some variant requires of some operation.
  const headers = { authorization, 'x-tenant': reference.settings['TENANT'] ?? '', 'x-client-version': '1.0' };
  const read = async (url: string): Promise<unknown> => {
    const text = await (await fetch(url, { headers: { authorization } })).text();
    return url.endsWith('.yaml') ? parseYaml(text) : JSON.parse(text);
  };
  const place = `${reference.baseUrl}/api/openapi.json`;
  const document = await bundleDocument((await read(place)) as Json, place, read);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(document, 'doc');
  const first = (await (
    await fetch(`${reference.baseUrl}/api/v1/units?limit=50&locale=en-US`, { headers })
  ).json()) as { data: { items: [{ id: string }] } };
  const prefix = { full: '/api/v1', parameter: '/api/v{version}' }[variant['document-paths'] ?? 'full'] ?? '';
  for (const ask of asks(first.data.items[0].id, variant)) {
    const needed = `locale=en-US&from=2000-01-01&year=2025&unitId=${first.data.items[0].id}`;
    const response = await fetch(
      `${reference.baseUrl}/api/v1${ask.path}${ask.path.includes('?') ? '&' : '?'}${needed}`,
      {
        method: ask.method,
        headers: { ...headers, ...ask.headers },
        ...(ask.body === undefined ? {} : { body: ask.body }),
      },
    );
    const [type = ''] = response.headers.get('content-type')?.split(';') ?? [];
    // What the HTTP server before the application refuses is not in the document.
    if (type === 'text/html' && response.status >= 400) continue;
    const body: unknown = await response.json();
    const pointer = declared(document, prefix, ask, response.status, type);
    if (pointer === null) continue;
    const valid = ajv.validate({ $ref: `doc${encodeURI(pointer)}` }, body);
    expect(
      valid,
      `${ask.method} ${ask.path} ${response.status} ${JSON.stringify(variant)} ${ajv.errorsText()} ${JSON.stringify(body).slice(0, 300)}`,
    ).toBe(true);
    for (const header of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'])
      expect(response.headers.get(header), `${header} of ${ask.method} ${ask.path}`).toBeTruthy();
  }
}

test('every answer meets the document under many options', async () => {
  test.setTimeout(180_000);
  for (const variant of variants(3)) {
    await using reference = closing(await startReference({ variant }));
    await check(reference, variant);
  }
});
