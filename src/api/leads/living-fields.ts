/** Words in the names of fields that move in the life of a lead: showing them as they are now is a replay too. */
const living = new Set(
  'score scores scoring rank rating grade temperature priority status stage state activity activities count views version etag revision assigned assignee owner replay replayed duplicate cached idempotent trace request server updated modified changed seen active'.split(
    ' ',
  ),
);

/** Whether a field is one that moves in the life of a lead, by its name. */
export function lives(pointer: string): boolean {
  return pointer
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => living.has(word));
}
