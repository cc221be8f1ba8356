import { validateXML } from 'xmllint-wasm';

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

/** What is wrong with a JUnit file by that schema; empty if nothing. */
export async function junitProblems(text: string): Promise<string[]> {
  return (await validateXML({ xml: text, schema: junitSchema })).errors.map(({ rawMessage }) => rawMessage);
}

/** What is left of a Markdown text without its code blocks and code spans (CommonMark 4.5 and 6.1). */
export function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,})[^`\n]*\n[^]*?\n\1$/gm, '').replace(/(?<![`\\])(`+)(?!`)[^]*?[^`]\1(?!`)/g, '');
}
