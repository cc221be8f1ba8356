import { asObject } from '../../service/index.js';
import { isSpecified, type Lead, lives } from '../../generators/index.js';

/** A field that an answer shows otherwise than it was sent. */
export interface Change {
  readonly field: string;
  readonly sent: unknown;
  readonly shown: unknown;
  /** Whether something of the value is lost; else it is in another form of the same, or masked. */
  readonly loses: boolean;
}

/**
 * Fields of the lead that are shown with another value than was sent; what is left out or structured is no change. Of fields that the
 * specification does not name, only values of one type are compared, and those that move in the life of a lead lose nothing.
 */
export function changes(sent: Lead, record: Record<string, unknown> | null): readonly Change[] {
  const shown = unfolded(sent, record);
  if (shown === null) return [];
  return Object.entries(sent).flatMap(([field, was]) => {
    const is = shown[field];
    const isNamed = isSpecified(field);
    if (!Object.hasOwn(shown, field) || is === was || (is === null && (was === '' || !isNamed))) return [];
    if (isNamed ? typeof was !== 'string' : typeof was !== typeof is) return [];
    if (typeof is === 'object' && is !== null) return [];
    const isKept = typeof is === 'string' && typeof was === 'string' && (isMask(was, is) || sameForm(field, was, is));
    return [{ field, sent: was, shown: is, loses: !isKept && (isNamed || !lives(field)) }];
  });
}

/** The record with what objects in it show of the lead: a contact with its name or its phone, and the only one that names a vehicle. */
export function unfolded(sent: Lead, record: Record<string, unknown> | null): Record<string, unknown> | null {
  if (record === null || 'name' in record || 'phone' in record) return record;
  const parts = Object.values(record)
    .map(asObject)
    .filter((part) => part !== null);
  const person = parts.find(
    (part) => 'name' in part && 'phone' in part && ['name', 'phone'].some((field) => part[field] === sent[field]),
  );
  if (person === undefined) return record;
  const [interest, ...others] = parts.filter((part) => 'vehicleId' in part);
  const vehicle = interest === undefined || others.length > 0 ? {} : { vehicleId: interest['vehicleId'] };
  return { ...vehicle, ...record, name: person['name'], phone: person['phone'] };
}

/** Whether two texts are equal apart from Unicode normalisation, blanks, case (but of sources and ids), separators (in phones) or the writing of an instant. */
function sameForm(field: string, was: string, is: string): boolean {
  const keepsCase = ['source', 'vehicleId'].includes(field);
  const folded = (text: string): string => (keepsCase ? text : text.toUpperCase().toLowerCase());
  if (/^\d{4}-\d\d-\d\d/.test(was) && Date.parse(was) === Date.parse(is)) return true;
  const plain = (text: string): string => folded(text.normalize('NFKC')).normalize('NFKC').trim().replace(/\s+/gu, ' ');
  const digits = (text: string): string => text.replace(/^tel:/i, '').replace(/[\s().\-/]/g, '');
  return field === 'phone' ? /^\+\d+$/.test(was) && digits(was) === digits(is) : plain(was) === plain(is);
}

/**
 * Whether a shown value is masked: some characters are replaced by stars or dots and the others are in place, or it is reduced to initials. A
 * single dot hides the rest of a word; one that the value has itself, as after an abbreviation, hides nothing.
 */
export function isMask(was: string, is: string): boolean {
  const whole = was.trim();
  const words = whole.split(/\s+/u);
  const initials = words.map((word) => Array.from(word)[0] ?? '').join('');
  const shownInitials = is.replace(/[\s.]/g, '');
  if (/[.\s]/.test(is) && shownInitials !== '' && initials.replace(/\./g, '').startsWith(shownInitials)) return true;
  const hides = /[*•●…]+|\.{2,}|(?<=\p{L})\.(?=\s|$)/gu;
  const marks = is.match(hides) ?? [];
  let at = 0;
  let hidden = false;
  for (const [index, piece] of is.split(hides).entries()) {
    const text = piece.trim();
    const found = whole.indexOf(text, at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + text.length;
    const isOwnDot = marks[index] === '.' && whole[at] === '.';
    if (isOwnDot) at += 1;
    else if (marks[index] !== undefined) hidden ||= marks[index] !== '.' || /^\S/u.test(whole.slice(at));
  }
  return hidden;
}
