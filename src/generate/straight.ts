/** With one of these anywhere, a schema may turn down what it took before once it demands less. */
const contrary = new Set(
  'not oneOf if contains minContains maxContains unevaluatedItems unevaluatedProperties discriminator $dynamicRef $recursiveRef'.split(
    ' ',
  ),
);
const straight = new WeakMap<object, boolean>();

/** Whether what demands less takes more: nothing in the schema is the contrary of another part of it. */
export function isStraight(schema: object): boolean {
  const known = straight.get(schema);
  if (known !== undefined) return known;
  const entries = Object.entries(schema);
  const found = entries.every(
    ([name, inner]) => (Array.isArray(schema) || !contrary.has(name)) && (!isContainer(inner) || isStraight(inner)),
  );
  straight.set(schema, found);
  return found;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
