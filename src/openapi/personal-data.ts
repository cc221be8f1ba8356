import { asObject } from './values.js';
import { child } from './schema/pointer.js';

/** A place that shows, or may show, data of a person. */
export interface PersonalData {
  readonly pointer: string;
  /** `possible` where it may as well be the dealer's own. */
  readonly kind: 'certain' | 'possible';
  readonly why: string;
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const people = wordSet(
  'owner owners customer customers buyer buyers cobuyer purchaser lessee borrower guarantor consignor keeper ' +
    'applicant prospect consumer shopper lead leads inquirer enquirer client person registrant titleholder driver',
);
const peoplePhrases =
  /(^|_)(contact_?person|(sold|registered)_?to|(reserved|held)_?for|reserved_?by|next_?of_?kin)(_|$)/;
const dealers = wordSet(
  'dealer dealership store location lot branch rooftop company business organization organisation tenant ' +
    'site manufacturer vendor supplier lender bank showroom',
);
/** Fields that only a natural person has. */
const personalField =
  /(^|_)((first|last|middle|given|family|maiden)_?name|surname|birth_?(date|day)|date_?of_?birth|dob|ssn|((social_?security|passport|national_?id|drivers?_?licen[cs]e)(_?(number|no))?)|home_?(address|phone)|personal_?email)$/;
const reach = /(^|_)((e?mail|telephone|phone|tel|mobile|cell|fax|whatsapp)(_?(address|number|no))?)$/;
/** Of people and of companies alike. */
const sharedField = /(name|address|street|city|licen[cs]e|licen[cs]e_no|tax_?id|credit_?score)$/;

const emailText =
  /[\p{L}\d._%+-]{1,64}@[\p{L}\d-]+(\.[\p{L}\d-]+)*\.(?!(?:png|jpe?g|gif|webp|avif|svg|js|css)\b)\p{L}[\p{L}\d-]*/iu;
const phoneText = /(^|[^\d+])\+\d[\d ()./-]{6,17}\d($|[^\d])/;

/** `registeredTo` as `registered_to`. */
function snakeCase(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  return words
    .split(/[^a-z\d]+/)
    .filter(Boolean)
    .join('_');
}

/** Nothing, or something put in place of the real value. */
function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value === 'string')
    return (
      value.trim() === '' ||
      /^[*x•#-]+$/i.test(value.trim()) ||
      /redact|hidden|masked|withheld|anonym|removed|n\/a|\*{3}/i.test(value)
    );
  if (Array.isArray(value)) return value.every(isBlank);
  const object = asObject(value);
  return object !== null && Object.values(object).every(isBlank);
}

/** Whose data a field holds. */
type Subject = 'person' | 'dealer' | 'nobody';

function subjectOf(field: string, parent: Subject): Subject {
  // Who is reached by a customer service is no customer.
  const words = field.replace(/(customer|client|owner|consumer)s?_(service|support|care)/, 'dealer').split('_');
  if (words.some((word) => dealers.has(word))) return 'dealer';
  return words.some((word) => people.has(word)) || peoplePhrases.test(field) ? 'person' : parent;
}

/**
 * Judges one text or number. A name alone may be a company's or a product's, so it is possible only; certain are a field that only people
 * have, and a phone number or an e-mail address of somebody.
 */
function judgeValue(name: string, value: string | number, subject: Subject): Pick<PersonalData, 'kind' | 'why'> | null {
  const field = snakeCase(name);
  if (personalField.test(field) && subject !== 'dealer')
    return { kind: 'certain', why: `the field ${name} belongs to a person` };
  const text = typeof value === 'string' ? value : '';
  if (reach.test(field) || emailText.test(text) || phoneText.test(text)) {
    if (subject === 'person') return { kind: 'certain', why: `${name} of a person` };
    if (subject === 'dealer' && text === '') return null;
    return { kind: 'possible', why: `${name} may be a phone number or an e-mail address of a person` };
  }
  if (subject !== 'person') return null;
  // A number of owners, a date, or a title such as "2024 Ford F-150" is nobody's name.
  const isName = (people.has(field.split('_').at(-1) ?? '') || peoplePhrases.test(`${field}_`)) && !/\d/.test(text);
  return (isName && text !== '') || sharedField.test(field)
    ? { kind: 'possible', why: `${name} may be data of a person` }
    : null;
}

/** Every place in a value that shows personal data (§5.5: `read:inventory` lists units without it), at any depth. */
export function personalData(value: unknown): PersonalData[] {
  const found: PersonalData[] = [];
  const visit = (node: unknown, pointer: string, name: string, subject: Subject, depth: number): void => {
    if (depth > 40 || found.length >= 50 || isBlank(node)) return;
    if (typeof node === 'string' || typeof node === 'number') {
      const hit = judgeValue(name, node, subject);
      if (hit !== null) found.push({ pointer, ...hit });
    } else if (Array.isArray(node)) {
      node.forEach((inner, index) => visit(inner, child(pointer, index), name, subject, depth + 1));
    } else {
      for (const [inner, part] of Object.entries(asObject(node) ?? {}))
        visit(part, child(pointer, inner), inner, subjectOf(snakeCase(inner), subject), depth + 1);
    }
  };
  visit(value, '', '', 'nobody', 0);
  return found;
}
