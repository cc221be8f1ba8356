import { asObject, differences, quote } from '../service/index.js';

type Json = Readonly<Record<string, unknown>>;

/** Whether a number is shown as a decimal string, or the reverse: `1` and `"1.0000"`. */
function isSameNumber(kept: unknown, sent: unknown): boolean {
  const texts = [kept, sent].map(String);
  return (
    typeof kept !== typeof sent && texts.every((text) => /^-?\d+(\.\d+)?$/.test(text)) && Number(kept) === Number(sent)
  );
}

/** A text without what a service may normalise: case, blanks, accents and hyphens. */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\s\p{M}-]+/gu, '');
}

/**
 * How a field that was sent is not kept, or null: a number or a flag as it is, a text but for what a service may normalise; `status` is the service's
 * own to set. What is not shown counts where each of `others`, five records or more, shows it; null where some do, if softly, as it may be
 * the service's to set.
 */
export function lossOf(
  field: string,
  sent: unknown,
  record: Json,
  others: readonly unknown[],
): { readonly expected: string; readonly actual: string; readonly soft?: boolean } | null {
  const kept = record[field] ?? null;
  const within = differences(sent, kept).find(
    (one) => one.pointer !== '' && typeof one.left === 'number' && typeof one.right === 'number',
  );
  if (within !== undefined)
    return { expected: `/${field}${within.pointer}: ${quote(within.left)}`, actual: quote(within.right) };
  // Which texts, and in which order, is the service's own: it may keep copies of photos under links of its own, or fetch them later.
  const isTexts = Array.isArray(sent) && sent.length > 1 && sent.every((one) => typeof one === 'string');
  if (isTexts && Array.isArray(kept) && kept.length < sent.length)
    return { expected: `${field}: ${sent.length} entries`, actual: quote(kept), soft: kept.length === 0 };
  if (field === 'status' || field === 'id' || sent === undefined || typeof sent === 'object') return null;
  const showing = others.filter((one) => (asObject(one)?.[field] ?? null) !== null);
  const isOwed = others.length >= 5 && showing.length === others.length;
  if (kept === null && !isOwed)
    return field in record && showing.length > 0
      ? { expected: `${field}: ${quote(sent)}`, actual: 'null', soft: true }
      : null;
  if (kept !== null && typeof kept === 'object') return null;
  if (plain(kept) === plain(sent) || isSameNumber(kept, sent)) return null;
  const actual = kept === null ? `${field} is not shown, as it is in every other record` : quote(kept);
  return { expected: `${field}: ${quote(sent)}`, actual };
}
