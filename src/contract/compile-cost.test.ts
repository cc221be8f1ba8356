import { expect, test } from '@playwright/test';
import { compileCost } from './compile-cost.js';

const small = { type: 'object', properties: { a: { $ref: '#/components/schemas/Big' } } };
const big = { type: 'object', required: Array.from({ length: 640 }, (_, at) => `f${at}`) };
const document = { components: { schemas: { Small: small, Big: big } } };

test('a part of its own costs a schema one, what it refers to a little, and a circle ends', () => {
  expect(compileCost(document, { type: 'string' }, Infinity)).toBe(2);
  expect(compileCost(document, big, Infinity)).toBe(643);
  const cost = compileCost(document, small, Infinity);
  expect(cost).toBeGreaterThan(10);
  expect(cost).toBeLessThan(20);
  const circle = { components: { schemas: { A: { $ref: '#/components/schemas/A' } } } };
  expect(compileCost(circle, circle.components.schemas.A, Infinity)).toBeLessThan(4);
  expect(compileCost(document, { $ref: '#/nowhere', allOf: [big] }, Infinity)).toBeGreaterThan(640);
});

test('it ends once the cost passes the most that is asked about', () => {
  expect(compileCost(document, big, 10)).toBeLessThanOrEqual(11);
});
