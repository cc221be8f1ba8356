/** Keywords that make a schema non-monotone: removing another constraint can make a value invalid when one of these is present. */
const nonMonotone = new Set(
  'not oneOf if contains minContains maxContains unevaluatedItems unevaluatedProperties discriminator $dynamicRef $recursiveRef'.split(
    ' ',
  ),
);
const known = new WeakMap<object, boolean>();

/** Whether a schema never allows fewer values once one of its constraints is removed. */
export function isMonotoneSchema(schema: object): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = Object.entries(schema).every(
    ([name, inner]) =>
      (Array.isArray(schema) || !nonMonotone.has(name)) &&
      (typeof inner !== 'object' || inner === null || isMonotoneSchema(inner as object)),
  );
  known.set(schema, found);
  return found;
}
