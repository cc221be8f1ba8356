import { at, tokensOf } from '../openapi/index.js';
import { sameJson } from '../service/index.js';
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

/**
 * Whether records leave out the broken member of a body that was accepted. With `without`, records that were created without it: each shows there
 * what these show. Otherwise none keeps what was sent there, as a whole or as a text.
 */
export function isLeftOut(
  { pointer, invalid }: MinimalPair,
  shown: readonly unknown[],
  without?: readonly unknown[],
): boolean {
  const usual = [null, ...(without ?? []).map((record) => at(record, pointer) ?? null)];
  const sent = String(at(invalid, pointer));
  const leaves = (record: unknown): boolean => {
    const is = at(record, pointer) ?? null;
    return without === undefined ? String(is) !== sent : usual.some((one) => sameJson(one, is));
  };
  return (without !== undefined || shown.length > 0) && shown.every(leaves);
}
