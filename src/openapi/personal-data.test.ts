import { expect, test } from '@playwright/test';
import { personalData } from './personal-data.js';

const certain: readonly unknown[] = [
  { owner: { name: 'Ann Lee', phone: '+14155550100' } },
  { buyers: [{ name: 'Ann Lee', email: 'a@b.co' }] },
  { history: [{ sale: { buyer: { phone: '+14155550100' } } }] },
  { buyer: { phone: 4155550100 } },
  { customer_email: 'a@b.co' },
  { buyerPhone: 4155550100 },
  { contactPerson: { name: 'Ann', mobile: '555 0100' } },
  { soldTo: 'Ann Lee, +1 415 555 0100' },
  { dateOfBirth: '1990-01-01' },
  { seller: { ssn: '123-45-6789' } },
  { primaryCustomerPhone: '555' },
  { owner: { email: 'a@b.co' } },
  { firstName: 'Ann' },
  { customer: { givenName: 'Ann', familyName: 'Lee' } },
  { previous_owners: [{ first_name: 'Ann' }] },
  { lastOwner: { phoneNumber: '555' } },
  { ownerEmail: 'owner@mail.example' },
  { buyerBirthDate: '1990-01-01' },
  { customer_date_of_birth: '1990-01-01' },
  { previousOwnerPassportNumber: 'X1234567' },
  { serviceHistory: [{ firstName: 'Ann' }], customerService: { customer: { email: 'a@b.co' } } },
];

const possible: readonly unknown[] = [
  { owner: 'Ann Lee' },
  { owner: 'Northside Auto Group' },
  { client: 'Web App' },
  { soldTo: 'Auction House Nord' },
  { registeredTo: 'Fleet Services GmbH' },
  { driver: 'All Wheel Drive' },
  { owner: { name: 'Northside Auto Group', type: 'company' } },
  { previousOwner: { fullName: 'Ann Lee' } },
  { customerName: 'Ann' },
  { contact_person: 'Ann Lee' },
  { reservedFor: 'Ann B. Lee' },
  { owners: ['Ann Lee', 'Bo Lee'] },
  { customerDetails: { city: 'Austin' } },
  { dealer: { name: 'Main Street' }, customer: { address: { street: 'Elm 1' } } },
  { buyerTaxId: '12-3456789' },
  { buyerLicenseNo: 'X1234567' },
  { buyerCreditScore: 700 },
  { phone: '+14155550100' },
  { dealer: { name: 'Main Street Cars', phone: '+14155550100' } },
  { notes: 'Call Ann at +1 415 555 0100' },
  { description: 'Write to sales@dealer.example' },
  { contact: { email: 'sales@dealer.example' }, warranty: { customerServicePhone: '+18005550100' } },
  { customerCare: { phone: '+18005550100', hours: '9 to 5' } },
  { owner: 'dealer' },
  { reservedFor: 'event' },
  { phone: 4155550100 },
];

const nothing: readonly unknown[] = [
  { ownerCount: 2 },
  { ownerCount: '2' },
  { oneOwner: true },
  { previousOwners: 2 },
  { previousOwners: '1' },
  { previousOwners: '1 owner' },
  { owners: 1 },
  { numberOfOwners: '2' },
  { ownershipType: 'private' },
  { previousOwnership: 'Lease' },
  { previousOwnerCount: '2' },
  { drivetrain: 'AWD' },
  { modelName: 'Ford Focus' },
  { name: 'Ford Focus' },
  { fullName: '2024 Ford F-150' },
  { dealer: { name: 'Main Street Cars' } },
  { seller: { name: 'Main Street Cars' } },
  { soldTotal: '32000.00' },
  { registeredTown: 'Leeds' },
  { owner: { type: 'dealer' } },
  { owner: null },
  { owner: {} },
  { buyer: { name: '***', phone: 'redacted' } },
  { customer: [] },
  { customerRating: 4.5 },
  { buyersGuideUrl: 'https://x.example/guide' },
  { photo: 'https://cdn.example.com/front@2x.png' },
  { soldAt: '2026-01-01' },
  { vin: '1FTFW1ET5DFC10312' },
  { engine: 'lib@1.2.3' },
  { price: 32_000, mileage: 12, id: 'u1' },
  { location: { name: 'Lot 3', city: 'Austin' } },
  { colour: { name: 'Oxford White' } },
  { userManual: 'https://x.example' },
  { createdAt: '2026-01-15T12:00:00+05:30' },
  { features: ['Owner Manual', 'Passenger Airbag'] },
  { trim: 'Contact' },
];

const kinds = (value: unknown): string[] => personalData({ id: 'u1', ...(value as object) }).map((one) => one.kind);

test('data of people is certain at any depth', () => {
  for (const value of certain) expect.soft(kinds(value), JSON.stringify(value)).toContain('certain');
  expect(personalData({ items: [{ buyer: { phone: '555' } }] })[0]?.pointer).toBe('/items/0/buyer/phone');
});

test("what may be the dealer's own is possible, and no more", () => {
  for (const value of possible) expect.soft([...new Set(kinds(value))], JSON.stringify(value)).toEqual(['possible']);
});

test('what vehicles and dealers have is no personal data', () => {
  for (const value of nothing) expect.soft(personalData(value), JSON.stringify(value)).toEqual([]);
});

// A search that starts anew at every character of these would take hours.
test('texts of 300 kB are looked through in good time', () => {
  const texts = ['a', 'a.', 'a@', 'a@b.', 'a@b-', '+1', '+1 2', '1', ' '].map((part) => part.repeat(3e5 / part.length));
  for (const text of texts) expect(kinds({ description: text }).length).toBeLessThan(2);
});
