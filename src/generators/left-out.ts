import { at, tokensOf } from '../openapi/index.js';
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
 * Whether records leave out the broken member of a body that was accepted: none keeps what was sent there, as a whole, as a text or cut. What
 * the valid body has there, or a word of an enum, is the value of before or the usual one, not a cut.
 */
export function isLeftOut({ pointer, keyword, invalid, valid }: MinimalPair, shown: readonly unknown[]): boolean {
  const sent = at(invalid, pointer);
  const isCut = (is: unknown): boolean =>
    typeof is === 'string' && typeof sent === 'string' && is !== '' && is !== at(valid, pointer) && sent.startsWith(is);
  const keeps = (record: unknown): boolean => {
    const is = at(record, pointer) ?? null;
    return is !== null && (String(is) === String(sent) || (keyword !== 'enum' && isCut(is)));
  };
  return shown.length > 0 && !shown.some(keeps);
}
