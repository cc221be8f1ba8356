import { expect, test } from '@playwright/test';
import { faults } from '../../src/reference/faults/faults.js';
import type { Fault } from '../../src/reference/faults/fault.js';
import { judgeService } from './judge-service.js';
import { startReferenceService } from './reference-service.js';

test.describe.configure({ mode: 'parallel' });

/** How a service looks that keeps the defaults of a framework or stands behind a gateway. */
const profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Rails: { 'error-shape': 'message', 'cursor-type': 'deep-object', 'unit-place': 'nested', 'lead-place': 'nested' },
  'Django REST': { 'error-shape': 'issues', 'invalid-status': '400', 'missing-key-status': '403', options: 'answered' },
  Spring: {
    'error-shape': 'type-title',
    'invalid-status': '400',
    'record-ids': 'numbered',
    'cursor-parameter': 'page',
  },
  'ASP.NET': { 'error-shape': 'type-title', 'invalid-status': '400', 'media-type': 'vendor', head: 'refused' },
  FastAPI: { 'error-shape': 'issues', charset: 'none', head: 'refused', 'document-statuses': 'ranges' },
  NestJS: { 'error-shape': 'message', 'invalid-status': '400', 'invalid-optional': 'left-out' },
  Laravel: { 'error-shape': 'issues', 'cursor-parameter': 'page', 'record-ids': 'numbered', 'extra-fields': 'some' },
  Phoenix: { 'last-cursor': 'absent', 'unknown-status': 'empty', 'lead-created': 'receipt' },
  Hasura: { 'failure-status': '200', 'create-status': '200', 'error-shape': 'message' },
  Kong: { 'http-server': 'strict', 'error-shape': 'message', 'document-access': 'key', replay: '409' },
  Apigee: {
    'http-server': 'strict',
    'unknown-key-status': '401',
    'document-access': 'moved',
    'tenant-header': 'required',
  },
  AWS: { 'http-server': 'strict', 'missing-key-status': '403', 'unknown-key-status': '403', options: 'answered' },
};

/** A breach of each kind that was found on services of strangers. */
const breaches = [
  ...['document-licence-two-ways', 'other-vehicle-beside-source', 'created-unit-ignores-status'],
  ...['unit-change-makes-available', 'created-unit-loses-fraction', 'unit-change-resets-later'],
  ...['lead-change-resets-source', 'paging-repeats-without-limit', 'second-form-list-lacks-newest'],
  ...['page-for-three-part-key', 'signature-of-time-and-body', 'demo-field-added'],
] as const;

const faultOf = (id: string): Fault => {
  const fault = faults.find((one) => one.id === id);
  if (fault === undefined) throw new RangeError(`no fault ${id}`);
  return fault;
};

const services = Object.entries(profiles);

// Conforming services of these kinds are among the combinations of options. Each breach is looked for in one of them.
for (const [at, { id, requirement, needs = {}, warns }] of breaches.map(faultOf).entries()) {
  const [name, variant] = services[at % services.length] ?? ['defaults', {}];
  test(`the fault ${id} is found in a service like those of ${name}`, async () => {
    const service = await startReferenceService({ variant: { ...variant, ...needs }, faults: [id] });
    const sections = [requirement.replace(/-.*/, '')];
    const { results } = await judgeService(service, { seed: at + 1, depth: 'gate', patience: 0.25, sections });
    expect(results.find((one) => one.id === requirement)?.verdict).toBe(warns === true ? 'warn' : 'fail');
  });
}
