import { sameJson } from '../service/json.js';
import { at, tokensOf } from '../openapi/schema/pointer.js';
import type { MinimalPair } from './schema/minimal-pairs.js';
import { isRecord, replaceAt } from './schema/schema.js';

/** A body without the member that breaks the schema in the pair; null where a valid body has to have it, or no member is broken. */
export function withoutBroken(
  { pointer, remove }: MinimalPair,
  body: unknown,
  allows: (body: Record<string, unknown>) => boolean,
): Record<string, unknown> | null {
  const tokens = tokensOf(pointer) ?? [];
  const holder = at(body, pointer.slice(0, pointer.lastIndexOf('/')));
  if (remove === true || tokens.length === 0 || !isRecord(holder)) return null;
  const rest = replaceAt(body, tokens, undefined);
  return isRecord(rest) && allows(rest) ? rest : null;
}

/** Whether the broken member was left out: each record shows there what a record shows that was made without it. */
export function isLeftOut({ pointer }: MinimalPair, shown: readonly unknown[], without: readonly unknown[]): boolean {
  const usual = [null, ...without.map((record) => at(record, pointer) ?? null)];
  return shown.every((record) => usual.some((one) => sameJson(one, at(record, pointer) ?? null)));
}
