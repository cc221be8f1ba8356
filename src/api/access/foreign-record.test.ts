import { expect, test } from '@playwright/test';
import { isForeignRecord, isUnguessable } from './foreign-record.js';

const mine = { id: '1', vin: 'WAUZZZ8V5KA000001', status: 'available', price: 10 };
const own = new Map([['1', mine]]);
const theirs = { id: '6', vin: 'WAUZZZ8V5KA999999', status: 'available', price: 20, owner: { name: 'Zoë' } };

test('a record is the other tenant’s where its content is, not where only its number is', () => {
  expect(isForeignRecord(theirs, theirs, own)).toBe(true);
  // A narrower key sees less of it; somebody may have changed it since.
  expect(isForeignRecord({ ...theirs, owner: null }, theirs, own)).toBe(true);
  expect(isForeignRecord({ ...theirs, price: 30 }, theirs, own)).toBe(true);
  expect(isForeignRecord({ id: '6', status: 'available', price: 20 }, theirs, own)).toBe(true);
  const sameNumber = { id: '6', vin: 'WAUZZZ8V5KA000006', status: 'available', price: 30 };
  expect(isForeignRecord(sameNumber, theirs, own)).toBe(false);
  expect(isForeignRecord({ id: '6' }, { id: '6' }, own)).toBe(false);
  expect(isForeignRecord(null, theirs, own)).toBe(false);
  // What many share tells nothing.
  const photo = { photo: 'https://example.com/none.png' };
  expect(
    isForeignRecord({ ...sameNumber, ...photo }, { ...theirs, ...photo }, new Map([['1', { ...mine, ...photo }]])),
  ).toBe(false);
  const address = { href: 'https://example.com/v1/units/6?view=full' };
  expect(isForeignRecord({ ...sameNumber, ...address }, { ...theirs, ...address }, own)).toBe(false);
  // Its own of the same number is not theirs, theirs in its place is.
  const both = new Map([['6', sameNumber]]);
  expect(isForeignRecord(sameNumber, theirs, both)).toBe(false);
  expect(isForeignRecord({ ...sameNumber, price: 31 }, theirs, both)).toBe(false);
  expect(isForeignRecord(theirs, theirs, both)).toBe(true);
  expect(isForeignRecord(theirs, theirs, new Map([['6', theirs]]))).toBe(false);
});

test('an own record as it was before a change is no foreign one', () => {
  const before = { ...mine, id: '6', updatedAt: '2026-01-02T22:54:21.000Z' };
  const sold = new Map([['6', { ...before, status: 'reserved', updatedAt: '2026-11-27T11:31:41.916Z' }]]);
  for (const other of [theirs, { ...theirs, updatedAt: before.updatedAt }, before])
    expect(isForeignRecord(before, other, sold)).toBe(false);
  expect(isForeignRecord(theirs, theirs, sold)).toBe(true);
  // A new record of its own that is as much on offer as theirs.
  expect(isForeignRecord({ ...before, vin: 'WAUZZZ8V5KA000007' }, theirs, new Map())).toBe(false);
});

test('where tenants are seeded alike, less of an own record is no foreign one', () => {
  const alike = new Map([['6', theirs]]);
  for (const id of ['6', '7c9e6679-7425-40de-944b-e07fc1f90ae7']) {
    const record = { ...theirs, id };
    const { owner, ...less } = record;
    expect(owner).toBeDefined();
    expect(isForeignRecord(less, record, id === '6' ? alike : new Map([[id, record]]))).toBe(false);
  }
});

test('an id that nobody would give twice tells by itself', () => {
  const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  expect(isForeignRecord({ id, status: 'sold' }, { ...theirs, id }, own)).toBe(true);
  expect(isForeignRecord({ id: '8', status: 'sold' }, { ...theirs, id }, own)).toBe(false);
});

test('an id that words and a running number make up is one that two tenants may both give', () => {
  for (const id of ['7', 'unit-0001', 'inventory-unit-000012', '00000000-0000-0000-0000-000000000001', '2024-06-0001'])
    expect(isUnguessable(id), id).toBe(false);
  for (const id of [
    'unit_4f0c2a9be1d74c6f',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    '01HZX3M9Q2V7B8N4K6T1R5W0YD',
    '507f1f77bcf86cd799439011',
    'V1StGXR8_Z5jdHi6B-myT',
  ])
    expect(isUnguessable(id), id).toBe(true);
});
