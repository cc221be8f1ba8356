import { percentEncode } from '../http/index.js';

/** The live production paths, below `{base_url}`. */
export const paths = {
  units: '/api/v1/units',
  unit: (id: string): string => `/api/v1/units/${percentEncode(id)}`,
  leads: '/api/v1/leads',
  deals: '/api/v1/deals',
  deal: (id: string): string => `/api/v1/deals/${percentEncode(id)}`,
  demoUnits: '/api/demo/units',
  document: '/api/openapi.json',
} as const;
