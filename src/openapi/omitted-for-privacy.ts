import { personalData } from './personal-data.js';

/** Whether what stands at a place is a person's by the names that lead there, whatever it holds. */
export function namesPersonAt(pointer: string): boolean {
  const names = pointer.split('/').slice(1);
  return ['Ann Lee', { name: 'Ann Lee' }].some((value) => {
    const record = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return personalData(record).length > 0;
  });
}

/** Nothing, or a value with characters struck out. */
function isStruckOut(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'string' && /[*•█]{2}|…|redact|hidden|mask/i.test(value));
}

/** Whether a reader who may not know of people may be shown `shown` at this place where another reader sees the whole `record`. */
export function mayOmitForPrivacy(pointer: string, record: unknown, shown: unknown): boolean {
  const touches = (other: string): boolean =>
    other === pointer || other.startsWith(`${pointer}/`) || pointer.startsWith(`${other}/`);
  return (
    namesPersonAt(pointer) ||
    personalData(record).some((hit) => touches(hit.pointer) && (hit.kind === 'certain' || isStruckOut(shown)))
  );
}
