import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { validateStrict } from 'ctrf';
import { validateXML } from 'xmllint-wasm';

const require = createRequire(import.meta.url);
const schema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as Record<string, unknown>;
/** The published schema of draft 4: Ajv reads all of it but how it names itself. */
const { id: _id, $schema: _draft, ...sarifSchema } = schema;

/** The published table of members; GitLab publishes no schema (docs.gitlab.com/ci/testing/code_quality). */
const codeQualitySchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    additionalProperties: false,
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', pattern: '^[0-9a-f]{32,}$' },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        additionalProperties: false,
        properties: {
          path: { type: 'string', pattern: '^[^./][^\\\\]*$' },
          lines: {
            type: 'object',
            required: ['begin'],
            additionalProperties: false,
            properties: { begin: { type: 'integer', minimum: 1 } },
          },
        },
      },
    },
  },
} as const;

const attribute = (name: string, type = 'string', use = 'required'): string =>
  `<xs:attribute name="${name}" type="${type === 'string' ? 'xs:string' : type}" use="${use}"/>`;
const counts = ['tests', 'failures', 'errors'].map((name) => attribute(name, 'count')).join('');
const outcome = (name: string): string =>
  `<xs:element name="${name}"><xs:complexType mixed="true">${attribute('message')}${attribute('type', 'string', 'optional')}</xs:complexType></xs:element>`;

/**
 * The part of junit-10.xsd (the xUnit plugin of Jenkins, the strictest reader known) that a report uses. It refuses `skipped` on the root,
 * properties in cases, and numbers with exponents. What is optional there and always written here is required.
 */
const junitSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:simpleType name="count"><xs:restriction base="xs:string"><xs:pattern value="[0-9]+"/></xs:restriction></xs:simpleType>
<xs:simpleType name="seconds"><xs:restriction base="xs:string"><xs:pattern value="[0-9]+\\.[0-9]{3}"/></xs:restriction></xs:simpleType>
<xs:element name="testsuites"><xs:complexType><xs:sequence>
  <xs:element name="testsuite" maxOccurs="unbounded"><xs:complexType><xs:sequence>
    <xs:element name="properties"><xs:complexType><xs:sequence>
      <xs:element name="property" maxOccurs="unbounded"><xs:complexType>${attribute('name')}${attribute('value')}</xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:choice minOccurs="0">${['skipped', 'error', 'failure'].map(outcome).join('')}</xs:choice>
      <xs:element name="system-out" type="xs:string" minOccurs="0"/>
    </xs:sequence>${['classname', 'name'].map((name) => attribute(name)).join('')}${attribute('time', 'seconds')}</xs:complexType></xs:element>
  </xs:sequence>${counts}${attribute('name')}${attribute('skipped', 'count')}${attribute('time', 'seconds')}${attribute('timestamp', 'xs:dateTime')}</xs:complexType></xs:element>
</xs:sequence>${counts}${attribute('name')}${attribute('time', 'seconds')}</xs:complexType></xs:element>
</xs:schema>`;

// A pattern of the SARIF schema is none in Unicode mode.
const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true, unicodeRegExp: false }));
const [isSarif, isCodeQuality] = [ajv.compile(sarifSchema), ajv.compile(codeQualitySchema)];

/** Validates files of a report by their schemas, and says what is wrong: nothing where all is well. */
export const problemsOf = {
  sarif: (text: string): unknown => (isSarif(JSON.parse(text)) ? [] : isSarif.errors),
  codequality: (text: string): unknown => (isCodeQuality(JSON.parse(text)) ? [] : isCodeQuality.errors),
  ctrf(text: string): unknown {
    validateStrict(JSON.parse(text));
    return [];
  },
  junit: async (text: string): Promise<unknown> =>
    (await validateXML({ xml: text, schema: junitSchema })).errors.map(({ rawMessage }) => rawMessage),
} as const;

/** What is left of a Markdown text without its code blocks and code spans (CommonMark 4.5 and 6.1). */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,})[^`\n]*\n[^]*?\n\1$/gm, '').replace(/(?<![`\\])(`+)(?!`)[^]*?[^`]\1(?!`)/g, '');
}

/** The members of SARIF that tests look at. */
export interface SarifLog {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly automationDetails: { readonly id: string };
      readonly invocations: readonly [
        { readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly unknown[] },
      ];
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly message: { readonly text: string };
        readonly suppressions?: readonly { readonly justification: string }[];
        readonly locations: readonly [
          {
            readonly physicalLocation: {
              readonly artifactLocation: { readonly uri: string };
              readonly region: { readonly startLine: number };
            };
          },
        ];
      }[];
    },
  ];
}
