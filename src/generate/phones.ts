import fc from 'fast-check';
import examples from 'libphonenumber-js/mobile/examples';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The shortest numbers in use, seven digits with the country code (Tristan da Cunha, Tokelau). */
export const shortestPhones: readonly string[] = ['+2908999', '+6907290'];

/** Numbers with all fifteen digits that E.164 §6.1 allows, valid under their national plans (Austria, Serbia, Kosovo). */
export const longestPhones: readonly string[] = ['+431204567890123', '+381102456789012', '+383380456789012'];

/** Plans that every list of numbering plans has, peculiar ones among them. */
const wellKnown: readonly string[] = [
  'US',
  'GB',
  'DE',
  'FR',
  'MX',
  'BR',
  'IN',
  'CN',
  'JP',
  'AU',
  'ZA',
  'EG',
  'RU',
  'IT',
  'SG',
  'AR',
  'CI',
  'AT',
  'RS',
];

/** One valid mobile number for each national plan that libphonenumber knows, in E.164 form. */
export function planPhones(): readonly string[] {
  return getCountries().flatMap((country) => {
    const national = examples[country] as string | undefined;
    return national === undefined ? [] : [`+${getCountryCallingCode(country)}${national}`];
  });
}

/** Whether a number is of a plan that every list of plans has, or of the plan of `taken`: other lists may lack the plans of small islands. */
export function isWidelyKnown(phone: string, taken: string): boolean {
  const country = (text: string): string | undefined => parsePhoneNumberFromString(text)?.country;
  const own = country(phone);
  return own !== undefined && (wellKnown.includes(own) || own === country(taken));
}

/** A few plans with peculiar numbers (eight to thirteen digits, a leading zero kept, a digit after the country code). */
export function samplePhones(): readonly string[] {
  return getCountries()
    .filter((country) => wellKnown.includes(country))
    .flatMap((country) => {
      const national = examples[country] as string | undefined;
      return national === undefined ? [] : [`+${getCountryCallingCode(country)}${national}`];
    });
}

/** Whether libphonenumber takes it for an assignable number and writes it the same way. */
export function isRealPhone(phone: string): boolean {
  const parsed = parsePhoneNumberFromString(phone);
  return parsed !== undefined && parsed.isValid() && parsed.number === phone;
}

/** Assignable numbers over all national plans: known examples with their last four digits redrawn. */
export function phoneArbitrary(): fc.Arbitrary<string> {
  const redrawn = (phones: readonly string[]): fc.Arbitrary<string> =>
    fc.tuple(fc.constantFrom(...phones), fc.integer({ min: 0, max: 9999 })).map(([phone, tail]) => {
      const varied = `${phone.slice(0, -4)}${String(tail).padStart(4, '0')}`;
      return isRealPhone(varied) ? varied : phone;
    });
  return fc.oneof(
    { arbitrary: redrawn(samplePhones()), weight: 6 },
    { arbitrary: redrawn(planPhones()), weight: 2 },
    { arbitrary: fc.constantFrom(...shortestPhones, ...longestPhones), weight: 2 },
  );
}
