import fc from 'fast-check';
import examples from 'libphonenumber-js/mobile/examples';
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max';

/** The shortest numbers in use, seven digits with the country code (Tristan da Cunha, Tokelau). */
export const shortestPhones: readonly string[] = ['+2908999', '+6907290'];

/** Numbers with all fifteen digits that E.164 §6.1 allows, valid under their national plans (Austria, Serbia, Kosovo). */
export const longestPhones: readonly string[] = ['+431204567890123', '+381102456789012', '+383380456789012'];

/** Area codes of the United States that have been in use for twenty years, so that every list of numbering plans has them. */
export const areaCodes: readonly string[] = (
  '201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 224 225 228 229 231 234 239 240 248 251 252 253 254 256 260 262 267 269 ' +
  '270 276 281 301 302 303 304 305 307 308 309 310 312 313 314 315 316 317 318 319 320 321 323 325 330 334 336 337 339 347 351 352 360 361 386 ' +
  '401 402 404 405 406 407 408 409 410 412 413 414 415 417 419 423 425 432 434 435 440 443 469 478 479 480 484 501 502 503 504 505 507 508 509 ' +
  '510 512 513 515 516 517 518 520 530 540 541 551 559 561 562 563 567 570 571 573 574 580 585 586 601 602 603 605 606 607 608 609 610 612 614 ' +
  '615 616 617 618 619 620 623 626 630 631 636 641 646 650 651 660 661 662 678 682 701 702 703 704 706 707 708 712 713 714 715 716 717 718 719 ' +
  '720 724 727 731 732 734 740 754 757 760 763 765 770 772 773 774 775 785 786 801 802 803 804 805 806 808 810 812 813 814 815 816 817 818 828 ' +
  '830 831 832 843 845 847 848 850 856 857 858 859 860 862 863 864 865 870 878 901 903 904 906 907 908 909 910 912 913 914 915 916 917 918 919 ' +
  '920 925 928 931 936 937 940 941 947 949 951 952 954 956 970 971 972 973 978 979 980 985 989'
).split(' ');

const twoDigits: readonly string[] = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, '0'));

/** The hundred numbers of an area code that the North American plan reserves for fiction: 555-0100 to 555-0199. */
export function fictionalPhones(areaCode: string): readonly string[] {
  return twoDigits.map((end) => `+1${areaCode}55501${end}`);
}

/** Whether a number of the North American plan is reserved for fiction, so that no message to it reaches anybody. */
export function isFictionalPhone(phone: string): boolean {
  return /^\+1[2-9]\d{2}55501\d{2}$/.test(phone);
}

/** Ranges of other plans that are reserved for fiction (Ofcom, ACMA, ARCEP, BNetzA): their first digits and the count of further ones. */
const fictionalRanges: Readonly<Partial<Record<CountryCode, readonly [prefix: string, digits: number]>>> = {
  GB: ['+442079460', 3],
  AU: ['+6125550', 4],
  FR: ['+3319900', 4],
  DE: ['+493023125', 3],
};

/** How many digits of the phone may change so that it stays within its range; null where it is in none. */
export function fictionalDigits(phone: string): number | null {
  return Object.values(fictionalRanges).find(([prefix]) => phone.startsWith(prefix))?.[1] ?? null;
}

/** The last four digits of numbers in the exchange 555 that are neither reserved for fiction nor in use as a service (directory assistance). */
export const spareLines: readonly string[] = Array.from({ length: 9_800 }, (_, at) =>
  String(at + 200).padStart(4, '0'),
).filter((line) => line !== '1212' && line !== '4334');

/** Plans that every list of numbering plans has, peculiar ones among them. */
const wellKnown: readonly string[] = 'US GB DE FR MX BR IN CN JP AU ZA EG RU IT SG AR CI AT RS'.split(' ');

/** The mobile number of this plan that libphonenumber gives as an example, in E.164 form. */
function mobileOf(country: CountryCode): readonly string[] {
  const national = examples[country] as string | undefined;
  return national === undefined ? [] : [`+${getCountryCallingCode(country)}${national}`];
}

/** One mobile number for each national plan: for documents that allow no other. */
export function mobilePhones(): readonly string[] {
  return getCountries().flatMap(mobileOf);
}

/** A number of this plan: one for fiction where such are known, else a mobile one. */
function exampleOf(country: CountryCode): readonly string[] {
  const [prefix, digits] = fictionalRanges[country] ?? [];
  return prefix === undefined ? mobileOf(country) : [`${prefix}${'0123'.slice(-(digits ?? 0))}`];
}

/**
 * Whether a phone number belongs to a numbering plan that every library knows, or to the plan of `taken`: some libraries lack small
 * islands.
 */
export function isWidelyKnown(phone: string, taken: string): boolean {
  const country = (text: string): string | undefined => parsePhoneNumberFromString(text)?.country;
  const own = country(phone);
  return own !== undefined && (wellKnown.includes(own) || own === country(taken));
}

/** A few plans with peculiar numbers (eight to thirteen digits, a leading zero kept, a digit after the country code). */
export function samplePhones(): readonly string[] {
  return getCountries()
    .filter((country) => wellKnown.includes(country))
    .flatMap(exampleOf);
}

/** Whether libphonenumber takes it for an assignable number and writes it the same way. */
export function isRealPhone(phone: string): boolean {
  const parsed = parsePhoneNumberFromString(phone);
  return parsed !== undefined && parsed.isValid() && parsed.number === phone;
}

/** Numbers reserved for fiction in five plans and, fewer, the shortest and longest ones. */
export function phoneArbitrary(): fc.Arbitrary<string> {
  const northAmerican = fc
    .tuple(fc.constantFrom(...areaCodes), fc.constantFrom(...twoDigits))
    .map(([areaCode, end]) => `+1${areaCode}55501${end}`);
  const others = fc
    .tuple(fc.constantFrom(...Object.values(fictionalRanges)), fc.nat({ max: 9_999 }))
    .map(([[prefix, digits], end]) => `${prefix}${String(end).padStart(4, '0').slice(-digits)}`);
  return fc.oneof(
    { arbitrary: northAmerican, weight: 5 },
    { arbitrary: others, weight: 5 },
    { arbitrary: fc.constantFrom(...shortestPhones, ...longestPhones), weight: 2 },
  );
}
