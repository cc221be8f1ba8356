/** The fields of a lead that the specification names. */
export const specifiedFields = ['name', 'phone', 'vehicleId', 'source'] as const;

export const isSpecified = (field: string): boolean => (specifiedFields as readonly string[]).includes(field);

/** Words in the names of fields that move in the life of a lead: showing them as they are now is a replay too. */
const living = new Set(
  'score scores scoring rank rating grade temperature priority status stage state activity activities count views version etag revision assigned assignee owner replay replayed duplicate cached idempotent trace request server updated modified changed seen active'.split(
    ' ',
  ),
);

/** Whether a field, of the record or below, is one that moves in the life of a lead, by its name. */
export function lives(pointer: string): boolean {
  return pointer
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => living.has(word));
}

/** Whether a field is set when a lead is created, or by the service alone, by its name. */
export const isFixed = (field: string): boolean => /^(id|leadId|phone|vehicleId|score|.*At)$/i.test(field);

/** Whether a field may refer to something, such as a user or a campaign, that a made-up value does not name. */
export const refers = (field: string): boolean =>
  /id$|ref$|code$|slug$|key$|url$|^(assign|owner|user|agent|campaign)/i.test(field);

/** Whether any text may stand in a field, by its name. */
export const isFreeText = (field: string): boolean => /note|message|comment|remark|text|description/i.test(field);
