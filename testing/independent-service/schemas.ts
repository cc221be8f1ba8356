import type { JsonObject } from './types.js';

export const text: JsonObject = { type: 'string' };

/** A schema of objects: each member is required unless it is named optional. */
export const objectOf = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
