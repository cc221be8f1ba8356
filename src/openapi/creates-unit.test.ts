import { expect, test } from '@playwright/test';
import { createContract } from './contract.js';
import { createsUnit } from './creates-unit.js';

const json = (schema: unknown): unknown => ({ content: { 'application/json': { schema } } });
const data = (properties: unknown): unknown => json({ properties: { data: { properties } } });
const unit = { required: ['vin', 'make'], properties: { vin: { type: 'string' }, make: { type: 'string' } } };

function creates(responses: unknown, body: unknown = unit): boolean {
  const contract = createContract({
    openapi: '3.1.0',
    paths: { '/api/v1/units': { post: { responses, ...(body === null ? {} : { requestBody: json(body) }) } } },
  });
  const operation = contract.operation('POST', '/api/v1/units');
  return operation !== null && createsUnit(contract.document, operation);
}

test('a POST that answers 201 or shows one unit creates it', () => {
  expect(creates({ 201: {} }, null)).toBe(true);
  expect(creates({ 200: data({ id: {} }) })).toBe(true);
  expect(creates({ 200: data({ unit: { properties: { id: {} } } }) }, {})).toBe(true);
  expect(creates({ 200: {} })).toBe(true);
});

test('a POST that lists units, or whose body speaks of a search, creates none', () => {
  expect(creates({ 200: data({ items: { type: 'array', items: {} } }) })).toBe(false);
  expect(creates({ 200: {} }, { required: ['status'], properties: { status: {}, limit: {} } })).toBe(false);
  expect(creates({ 200: {} }, { properties: { status: {}, make: {} } })).toBe(false);
  expect(creates({ 200: {} }, null)).toBe(false);
});
