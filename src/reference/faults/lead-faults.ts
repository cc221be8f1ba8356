import { fault } from './fault.js';

const anyStatus = { 'document-statuses': 'default' } as const;
const crash = {
  needs: anyStatus,
  also: { 'ENV-06': 'a 5xx is a breach wherever it is seen', 'LEAD-05': 'the same text may stand in hostile input' },
};
const refused = 'a lead that has to be accepted is refused';
const noLead = {
  'LEAD-02': refused,
  'LEAD-03': refused,
  'LEAD-04': 'the untouched lead is refused',
  'LEAD-06': 'the untouched lead is refused',
  'LEAD-07': refused,
  'IDEM-01': refused,
  'IDEM-02': refused,
  'IDEM-03': refused,
  'IDEM-04': refused,
  'IDEM-05': refused,
  'IDEM-06': refused,
  'IDEM-07': refused,
  'IDEM-08': refused,
  'AUTH-02': refused,
  'AUTH-05': refused,
};
const changed = {
  'IDEM-01': 'the fields sent are not those shown',
  'IDEM-04': 'the fields sent are not those shown',
  'IDEM-07': 'the fields sent are not those shown',
};
const hostile = {
  needs: anyStatus,
  also: { 'ENV-06': 'a 5xx is a breach wherever it is seen', 'UNIT-11': 'bodies of units are read in the same place' },
};
const hostileType = {
  ...hostile,
  also: { ...hostile.also, 'LEAD-04': 'the body breaks the declared type and has to be refused with 4xx' },
};

/** Faults of lead creation. */
export const leadFaults = [
  fault('lead-refused', 'LEAD-01', 'every lead is refused as invalid', { also: noLead }),
  fault('lead-answers-failure', 'LEAD-01', 'a lead is stored and answered with a failure', { also: noLead }),
  fault('source-required', 'LEAD-02', 'a lead without source is refused', { also: { ...noLead, 'LEAD-01': refused } }),
  fault('source-refused', 'LEAD-02', 'a lead with a source is refused', {
    also: { 'LEAD-03': refused, 'LEAD-04': 'the untouched lead is refused', 'LEAD-07': refused },
  }),
  fault('crash-on-astral-name', 'LEAD-03', 'a name with a character beyond the basic plane answers 500', crash),
  fault('crash-on-apostrophe', 'LEAD-03', 'a name with an apostrophe answers 500', crash),
  fault('crash-on-percent', 'LEAD-03', 'a name with a per cent sign answers 500', crash),
  fault('crash-on-fifteen-digits', 'LEAD-03', 'a phone of fifteen digits answers 500', crash),
  fault('refuse-astral-name', 'LEAD-03', 'a name with a character beyond the basic plane is refused'),
  fault('refuse-combining-name', 'LEAD-03', 'a name with a combining mark is refused'),
  fault('refuse-right-to-left-name', 'LEAD-03', 'a Hebrew or Arabic name is refused'),
  fault('refuse-joined-emoji', 'LEAD-03', 'a name with a zero-width joiner is refused (warned of)', { warns: true }),
  fault('refuse-quoted-name', 'LEAD-03', 'a name with a double quote is refused (warned of)', { warns: true }),
  fault('refuse-markup-name', 'LEAD-03', 'a name with angle brackets is refused (warned of)', { warns: true }),
  fault('refuse-one-character-name', 'LEAD-03', 'a name of one character is refused'),
  fault('refuse-longest-name', 'LEAD-03', 'a name of exactly 200 characters is refused (warned of)', { warns: true }),
  fault('refuse-long-name-in-bytes', 'LEAD-03', 'a name of more than 200 bytes is refused'),
  fault('refuse-fifteen-digits', 'LEAD-03', 'a phone of fifteen digits is refused'),
  fault('refuse-short-phone', 'LEAD-03', 'a phone of fewer than eight digits is refused (warned of)', { warns: true }),
  fault('refuse-one-source', 'LEAD-03', 'the last of the declared sources is refused', {
    also: { 'LEAD-02': 'a declared source has to be taken' },
  }),
  fault('document-loses-requirement', 'LEAD-03', 'the document leaves open a field of a lead that the service demands'),
  fault('document-requires-source', 'LEAD-04', 'the document demands a source that the service does not'),
  fault('accept-missing-name', 'LEAD-04', 'a lead without name is accepted'),
  fault('accept-missing-phone', 'LEAD-04', 'a lead without phone is accepted'),
  fault('accept-missing-vehicle', 'LEAD-04', 'a lead without vehicle is accepted'),
  fault('accept-empty-name', 'LEAD-04', 'an empty name is accepted'),
  fault('accept-long-name', 'LEAD-04', 'a name of more than 200 characters is accepted'),
  fault('accept-number-name', 'LEAD-04', 'a number is accepted as a name'),
  fault('accept-null-vehicle', 'LEAD-04', 'null is accepted as a vehicle'),
  fault('accept-sixteen-digits', 'LEAD-04', 'a phone of more than fifteen digits is accepted'),
  fault('accept-phone-letters', 'LEAD-04', 'a phone with letters is accepted'),
  fault('accept-long-source', 'LEAD-04', 'a source longer than both its length and its pattern allow is accepted', {
    needs: { source: 'free' },
  }),
  fault('accept-undeclared-source', 'LEAD-04', 'a source outside the declared ones is accepted'),
  fault('accept-extra-fields', 'LEAD-04', 'fields that the schema excludes are accepted', {
    needs: { 'lead-extra-fields': 'refused' },
  }),
  fault('crash-on-empty-string', 'LEAD-04', 'an empty text answers 500 where a refusal is due', crash),
  fault('crash-on-malformed-json', 'LEAD-05', 'malformed JSON answers 500', hostile),
  fault('crash-on-empty-body', 'LEAD-05', 'an empty body answers 500', hostile),
  fault('crash-on-array-body', 'LEAD-05', 'an array as the body answers 500', hostileType),
  fault('crash-on-null-body', 'LEAD-05', 'null as the body answers 500', hostileType),
  fault('crash-on-number-body', 'LEAD-05', 'a number as the body answers 500', hostileType),
  fault('crash-on-deep-nesting', 'LEAD-05', 'a deeply nested body answers 500', hostile),
  fault('crash-on-prototype-key', 'LEAD-05', 'a key named __proto__ answers 500', hostile),
  fault('crash-on-lone-surrogate', 'LEAD-05', 'half a surrogate pair answers 500', hostile),
  fault('crash-on-wrong-content-type', 'LEAD-05', 'another content type answers 500', hostile),
  fault('crash-on-missing-content-type', 'LEAD-05', 'a body without content type answers 500', hostile),
  fault('crash-on-large-body', 'LEAD-05', 'a body of more than 512 KiB answers 500', hostile),
  fault('hang-on-null-body', 'LEAD-05', 'null as the body is never answered', {
    also: { 'LEAD-04': 'the body breaks the declared type and has to be refused with 4xx' },
  }),
  fault('drop-on-large-body', 'LEAD-05', 'a body of more than 512 KiB is answered by closing the connection'),
  fault('dead-after-deep-nesting', 'LEAD-05', 'after a deeply nested body every lead is answered with 500', {
    needs: anyStatus,
    also: {
      'UNIT-11': 'nothing works afterwards',
      ...noLead,
      'LEAD-01': refused,
      'ENV-06': 'a 5xx is a breach wherever it is seen',
    },
  }),
  fault('phone-without-plus-accepted', 'LEAD-06', 'a phone without the leading plus sign is accepted, as declared'),
  fault('name-cut-at-64', 'LEAD-07', 'a name is cut after 64 characters', { also: changed }),
  fault('name-trimmed', 'LEAD-07', 'blanks around a name are lost (warned of)', { warns: true }),
  fault('name-html-escaped', 'LEAD-07', 'a name is shown with HTML entities', { also: changed }),
  fault('name-normalised', 'LEAD-07', 'a name is brought into composed form (warned of)', { warns: true }),
  fault('name-loses-astral', 'LEAD-07', 'characters beyond the basic plane become question marks', { also: changed }),
  fault('name-blanks-collapsed', 'LEAD-07', 'several blanks in a name become one (warned of)', { warns: true }),
  fault('name-lower-cased', 'LEAD-07', 'a name is shown in lower case (warned of)', { warns: true }),
  fault('name-cut-when-read', 'LEAD-07', 'a lead that is read shows the first 32 characters of its name'),
  fault('lead-change-not-stored', 'LEAD-07', 'a change of a lead is answered as done and not stored', {
    needs: { 'lead-item': 'get-patch' },
  }),
  fault('phone-loses-plus', 'LEAD-07', 'a phone is shown without its plus sign', {
    needs: { phone: 'free' },
    also: changed,
  }),
  fault('phone-as-number', 'LEAD-07', 'a phone loses digits beyond the twelfth', { also: changed }),
  fault('source-replaced', 'LEAD-07', 'another source than the one sent is shown', { also: changed }),
  fault('vehicle-id-upper-cased', 'LEAD-07', 'a vehicle id is shown in upper case', { also: changed }),
] as const;
