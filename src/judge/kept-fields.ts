import { asObject, type Difference, differences, quote } from '../service/index.js';

type Json = Readonly<Record<string, unknown>>;

/** A field that is shown otherwise than it was written. */
export interface Lost {
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** Numbers inside objects that were sent and are shown as other numbers. */
export function numbersWithin(sent: unknown, record: unknown): Difference[] {
  return differences(sent, record).filter(
    (one) => one.pointer.split('/').length > 2 && typeof one.left === 'number' && typeof one.right === 'number',
  );
}

/** Whether a number is shown as a decimal string, or the reverse: `1` and `"1.0000"`. */
export function isSameNumber(kept: unknown, sent: unknown): boolean {
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
 * Fields that were sent and are not kept: a number or a flag as it is, a text but for what a service may normalise; `status` is the service's own to
 * set. What is not shown counts where each of `others`, five records or more, shows it.
 */
export function lostFields(sent: unknown, record: Json | null, others: readonly unknown[]): readonly Lost[] {
  if (record === null) return [];
  const within = numbersWithin(sent, record).map(({ pointer, left, right }) => ({
    field: pointer.split('/')[1] ?? '',
    expected: `${pointer}: ${quote(left)}`,
    actual: quote(right),
  }));
  const isShownByAll = (name: string): boolean =>
    others.length >= 5 && others.every((one) => (asObject(one)?.[name] ?? null) !== null);
  const lost = Object.entries(asObject(sent) ?? {}).flatMap(([field, value]) => {
    const kept = record[field] ?? null;
    const isOpen = field === 'status' || field === 'id' || value === undefined || typeof value === 'object';
    if (isOpen || (kept === null && !isShownByAll(field))) return [];
    if (plain(kept) === plain(value) || isSameNumber(kept, value) || (kept !== null && typeof kept === 'object'))
      return [];
    const actual = kept === null ? `${field} is not shown, as it is in every other record` : quote(kept);
    return [{ field, expected: `${field}: ${quote(value)}`, actual }];
  });
  return [...within, ...lost];
}
