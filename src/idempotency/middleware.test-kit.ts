import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { serve, type Loopback } from '../loopback.test-kit.js';

/** A lead as the small services of these tests keep it. */
export interface StoredLead {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly phone: string;
}

/** What a small service needs beside its idempotency middleware. */
export interface LeadStore {
  readonly leads: StoredLead[];
  /** Makes a lead of a body, or null where name or phone is missing. */
  make(tenant: string, body: unknown): StoredLead | null;
  page(
    tenant: string,
    query: { readonly cursor?: unknown; readonly limit?: unknown },
  ): { items: StoredLead[]; nextCursor: string | null };
}

/** A store with nothing in it. */
export function createLeadStore(): LeadStore {
  const leads: StoredLead[] = [];
  return {
    leads,
    make(tenant, body) {
      const fields = (body ?? {}) as Record<string, unknown>;
      if (typeof fields['name'] !== 'string' || typeof fields['phone'] !== 'string') return null;
      const lead = { id: randomUUID(), tenant, name: fields['name'], phone: fields['phone'] };
      leads.push(lead);
      return lead;
    },
    page(tenant, query) {
      const own = leads.filter((lead) => lead.tenant === tenant);
      const [from, size] = [Number(query.cursor ?? 0), Number(query.limit ?? 50)];
      return { items: own.slice(from, from + size), nextCursor: from + size < own.length ? String(from + size) : null };
    },
  };
}

/** The tenant that a key of the tests belongs to, or null. */
export function tenantOf(authorization: string | undefined): string | null {
  return { 'Bearer key-of-tenant-a': 'a', 'Bearer key-of-tenant-b': 'b' }[authorization ?? ''] ?? null;
}

const answers = { '200': { description: 'fine' } };
const page = ['limit', 'cursor'].map((name) => ({
  name,
  in: 'query',
  schema: name === 'limit' ? { type: 'integer', maximum: 100 } : { type: 'string' },
}));

/** What the small services declare: units to list, leads to create and list. */
export const smallDocument = {
  openapi: '3.1.0',
  info: { title: 'leads', version: '1' },
  paths: {
    '/api/v1/units': { get: { parameters: page, responses: answers } },
    '/api/v1/leads': { get: { parameters: page, responses: answers }, post: { responses: answers } },
  },
};

/** The units that the small services list. */
export const smallUnits = { items: [{ id: 'u1', status: 'available' }], nextCursor: null };

/** Serves on a free port of the loopback. */
export async function listen(listener: RequestListener): Promise<Loopback & { baseUrl: string }> {
  const server = await serve(listener);
  return { ...server, baseUrl: server.url };
}
