/** One thing that is wrong with a document; `id` is the requirement that it belongs to. */
export interface LintFinding {
  readonly id: 'DOC-02' | 'DOC-03' | 'DOC-04' | 'DOC-05' | 'DOC-07' | 'DOC-08';
  /** A `note` says nothing against the document. */
  readonly severity: 'fail' | 'warn' | 'note';
  /** The kind of breach, as in a finding. */
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  /** The place in the document; empty for the whole. */
  readonly pointer: string;
}

type Rule = readonly [LintFinding['id'], LintFinding['severity'], expected: string];

/** What a document must keep, by the code of its breach. */
const rules = {
  'lost-reference': ['DOC-03', 'fail', 'every $ref to resolve, inside the document or to a file of its origin'],
  version: ['DOC-02', 'fail', 'openapi: 3.1.x'],
  invalid: ['DOC-02', 'fail', 'a document that is valid against the official OpenAPI 3.1 schema'],
  'reference-kind': ['DOC-02', 'fail', 'a reference to an object of the kind that belongs there'],
  'operation-id-twice': ['DOC-02', 'fail', 'operationIds that are unique'],
  'tag-twice': ['DOC-02', 'fail', 'tags whose names are unique'],
  'unknown-scheme': ['DOC-02', 'fail', 'a security scheme that components.securitySchemes declares'],
  'parameter-twice': ['DOC-02', 'fail', 'parameters that differ in name or place'],
  'server-default': ['DOC-02', 'fail', 'a default that the enum of the server variable lists'],
  'link-id': ['DOC-02', 'fail', 'a link to an operationId that an operation has'],
  'link-target': ['DOC-02', 'fail', 'a link to an operation'],
  'template-twice': ['DOC-02', 'fail', 'path templates that differ in more than parameter names'],
  'undeclared-parameter': ['DOC-02', 'fail', 'a declared path parameter for each name in the path'],
  'optional-parameter': ['DOC-02', 'fail', 'required: true for a path parameter'],
  'unused-parameter': ['DOC-02', 'fail', 'a path parameter that occurs in the path'],
  'odd-object': ['DOC-02', 'fail', 'discriminator, xml and externalDocs as OpenAPI has them'],
  'no-schema': ['DOC-05', 'fail', 'a JSON Schema: an object or a boolean'],
  'odd-schema': ['DOC-05', 'fail', 'a schema that meets the JSON Schema 2020-12 meta-schema'],
  'reference-cycle': ['DOC-05', 'fail', 'a schema that compiles'],
  'no-compile': ['DOC-05', 'fail', 'a schema that compiles'],
  'odd-pattern': ['DOC-05', 'warn', 'a regular expression of ECMA-262, as JSON Schema recommends'],
  'other-dialect': ['DOC-05', 'warn', 'schemas in the dialect of OpenAPI 3.1, JSON Schema 2020-12'],
  nullable: ['DOC-05', 'warn', 'null among the types where null is sent'],
  'no-unit-list': ['DOC-04', 'fail', 'GET on the unit collection'],
  'no-second-unit-operation': ['DOC-04', 'fail', 'a second operation on the unit collection'],
  'no-single-unit': ['DOC-04', 'fail', 'an operation on a single unit'],
  'no-lead-creation': ['DOC-04', 'fail', 'POST on the lead collection'],
  'no-second-lead-operation': ['DOC-04', 'fail', 'a second operation on the lead collection'],
  'no-deals': ['DOC-04', 'fail', 'an operation on deals'],
  'no-demo': ['DOC-04', 'fail', 'GET on the demo units'],
  'limit-type': ['DOC-04', 'fail', 'limit to be an integer'],
  'planned-as-live': ['DOC-07', 'warn', 'planned paths to be absent or marked as not live'],
  'no-bearer': ['DOC-08', 'warn', 'bearer security on every production operation'],
  'no-envelope': ['DOC-08', 'warn', 'the envelope {ok, data} in every success schema'],
  'demo-security': ['DOC-08', 'warn', 'no security on the demo operation'],
  undeclared: ['DOC-08', 'note', ''],
} as const satisfies Record<string, Rule>;

/** Reports a breach of a rule at a place. */
export type Breach = (code: keyof typeof rules, pointer: string, actual: string, expected?: string) => void;

/** Findings of one document, at most 20 of a code. */
export function lintFindings(): { readonly findings: readonly LintFinding[]; readonly breach: Breach } {
  const findings: LintFinding[] = [];
  const breach: Breach = (code, pointer, actual, expected = rules[code][2]) => {
    const [id, severity] = rules[code];
    if (findings.filter((one) => one.code === code).length < 20)
      findings.push({ id, severity, code, expected, actual, pointer });
  };
  return { findings, breach };
}
