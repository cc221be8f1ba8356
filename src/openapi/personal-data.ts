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
  'owner owners customer customers buyer buyers cobuyer purchaser lessee borrower guarantor consignor ' +
    'applicant prospect consumer shopper lead leads inquirer enquirer client person registrant titleholder driver',
);
const peoplePhrases =
  /^(contact_?person|(previous|last|prior)_?owners?|sold_?to|reserved_?(for|by)|held_?for|registered_?(to|keeper)|keeper|trade_?in_?(by|from)|next_?of_?kin|emergency_?contact)(_(details?|info|data|contact|profile|record))?$/;
/** Suffixes of a word for people that name an object with their data. */
const dossier = /^(details?|info|information|data|contact|profile|record)$/;
const maybePeople = wordSet(
  'contact contacts seller salesperson agent author user employee staff manager assignee appraiser',
);
const dealers = wordSet(
  'dealer dealership store location lot branch rooftop company business organization organisation tenant ' +
    'site manufacturer vendor supplier lender bank showroom',
);
const ownWords = wordSet(
  'firstname lastname middlename givenname familyname fullname surname maidenname birthdate dateofbirth ' +
    'birthday dob ssn socialsecuritynumber nationalid passportnumber passport driverlicense driverslicense ' +
    'driverlicensenumber driverslicensenumber taxid creditscore homeaddress homephone mobilephone cellphone ' +
    'personalemail',
);
const reach = wordSet('email emailaddress mail phone phonenumber telephone tel mobile cell fax whatsapp');
const attributes =
  /(name|phone|email|mail|mobile|tel|address|street|birth|birthdate|birthday|dob|ssn|license|contact|details|info|(taxid|nationalid|passport|license|licence|socialsecurity)(number|no)?|taxnumber|creditscore)$/;

/** The last word of a field that holds one thing about a person. */
const attributesOfOne = /^(name|phone|email|mail|mobile|tel|address|street|birth|dob|ssn|license)$/;

const emailText =
  /[\p{L}\d._%+-]{1,64}@[\p{L}\d-]+(\.[\p{L}\d-]+)*\.(?!(?:png|jpe?g|gif|webp|avif|svg|js|css)\b)\p{L}[\p{L}\d-]*/iu;
const phoneText = /(^|[^\d+])\+\d[\d ()./-]{6,17}\d($|[^\d])/;

function words(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
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

type Around = 'person' | 'maybe' | 'dealer' | 'nobody';

/** Whose data stands under a field of this name. */
function around(name: string, before: Around): Around {
  const parts = words(name);
  const joined = parts.join('_');
  if (parts.some((part) => dealers.has(part))) return 'dealer';
  if (peoplePhrases.test(joined) || (parts.length === 1 && people.has(parts[0] ?? ''))) return 'person';
  if (parts.length === 2 && people.has(parts[0] ?? '') && dossier.test(parts[1] ?? '')) return 'person';
  if (
    parts.length === 2 &&
    people.has(parts[1] ?? '') &&
    !/^(no|num|number|one|single|is|has|total)$/.test(parts[0] ?? '')
  )
    return 'person';
  if (parts.some((part) => maybePeople.has(part)) && parts.length <= 2) return before === 'person' ? 'person' : 'maybe';
  return before;
}

/** Whether a field of this name is a person's by the name alone: `buyerName`, `customer_email`, `birthDate`. */
function namesPerson(name: string): boolean {
  const parts = words(name);
  if (ownWords.has(parts.join(''))) return true;
  const rest = parts.slice(1).join('');
  const first = parts[0] ?? '';
  const person = people.has(first)
    ? rest
    : people.has(parts[1] ?? '') &&
        /^(previous|prior|last|first|current|new|co|original|primary|secondary|registered|legal|former|joint|main)$/.test(
          first,
        )
      ? parts.slice(2).join('')
      : null;
  if (person !== null) return attributes.test(person);
  const phrase = /^(contactperson|previousowner|soldto|reservedfor|reservedby)(.+)$/.exec(parts.join(''));
  return phrase !== null && attributes.test(phrase[2] ?? '');
}

function judgeText(name: string, value: string, place: Around): Pick<PersonalData, 'kind' | 'why'> | null {
  const flat = words(name).join('');
  if (namesPerson(name) && place !== 'dealer') return { kind: 'certain', why: `the field ${name} belongs to a person` };
  const isReach = reach.has(flat) || emailText.test(value) || phoneText.test(value);
  if (place === 'person') {
    if (
      /^(id|.*id|ref|type|kind|status|role|count|href|url|source|segment|tier|since|at|.*at|currency|country|state)$/i.test(
        flat,
      ) &&
      !isReach
    )
      return null;
    return { kind: 'certain', why: `${name} of a person` };
  }
  if (isReach)
    return {
      kind: 'possible',
      why: `${name} holds a phone number or an e-mail address, which may be the dealer's own`,
    };
  if (place === 'maybe' && /name$/.test(flat)) return { kind: 'possible', why: `${name} may be the name of a person` };
  return null;
}

/** Every place in a value that shows personal data (§5.5: `read:inventory` lists units without it), at any depth. */
export function personalData(value: unknown): PersonalData[] {
  const found: PersonalData[] = [];
  const visit = (node: unknown, pointer: string, name: string, place: Around, depth: number): void => {
    if (depth > 40 || found.length >= 50 || isBlank(node)) return;
    if (typeof node === 'string') {
      // `owner: "Ann Lee"` is a person, `owner: "dealer"` may be a kind of ownership.
      const parts = words(name);
      const named = parts.some((part) => people.has(part)) && (place === 'person' || namesPerson(name));
      const vague =
        (place === 'person' && named) ||
        peoplePhrases.test(parts.join('_')) ||
        (named && dossier.test(parts.at(-1) ?? ''));
      const isOfPerson =
        /^\p{Lu}[\p{L}'.-]+(\s+\p{Lu}[\p{L}'.-]*)*\s+\p{Lu}[\p{L}'.-]+$/u.test(node.trim()) ||
        emailText.test(node) ||
        phoneText.test(node);
      const bare = vague && !isOfPerson && !attributesOfOne.test(parts.at(-1) ?? '');
      // A number of owners, a date, or a title such as "2024 Ford F-150" is nobody's name.
      if ((bare && /\d/.test(node)) || (parts.join('') === 'fullname' && place === 'nobody' && /\d/.test(node))) return;
      const hit = bare ? { kind: 'possible' as const, why: `${name} may name a person` } : judgeText(name, node, place);
      if (hit !== null) found.push({ pointer, ...hit });
    } else if (typeof node === 'number') {
      const isReach = reach.has(words(name).join(''));
      if ((namesPerson(name) && place !== 'dealer') || (isReach && place === 'person'))
        found.push({ pointer, kind: 'certain', why: `the field ${name} belongs to a person` });
      else if (isReach && place !== 'dealer')
        found.push({ pointer, kind: 'possible', why: `${name} may be a phone number` });
    } else if (Array.isArray(node)) {
      node.forEach((inner, index) => visit(inner, child(pointer, index), name, place, depth + 1));
    } else {
      for (const [inner, part] of Object.entries(asObject(node) ?? {}))
        visit(part, child(pointer, inner), inner, around(inner, place), depth + 1);
    }
  };
  visit(value, '', '', 'nobody', 0);
  return found;
}
