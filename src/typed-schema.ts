/** A day such as `2027-01-31`: days are compared as texts. */
export const day = { type: 'string', format: 'date' } as const;

/** The schema of an object with these properties, all of which it must have but `optional` ones. */
export const objectOf = <const P extends object, const O extends object = object>(properties: P, optional?: O) => ({
  type: 'object' as const,
  required: Object.keys(properties) as (keyof P)[],
  properties: { ...properties, ...optional } as P & O,
});

interface Types {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The names of members that a schema admits, all of which are there unless a version was earlier. */
type NamesOf<S> = S extends { readonly propertyNames: { readonly enum: readonly (infer N extends string)[] } }
  ? N
  : string;

/** The type of what a schema accepts. */
export type Accepted<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly items: infer I }
      ? readonly Accepted<I>[]
      : S extends { readonly properties: infer P; readonly required: readonly (infer R)[] }
        ? { readonly [N in keyof P & R]: Accepted<P[N]> } & { readonly [N in Exclude<keyof P, R>]?: Accepted<P[N]> }
        : S extends { readonly additionalProperties: infer V }
          ? Readonly<Record<NamesOf<S>, Accepted<V>>>
          : S extends { readonly type: infer T }
            ? Types[keyof Types & (T extends readonly (infer One)[] ? One : T)]
            : never;
