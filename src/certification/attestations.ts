import { createHash, sign, type KeyObject } from 'node:crypto';
import type { Report } from '../requirement/types.js';
import { digestOf, type Manifest } from './bundle/manifest.js';
import { fingerprint } from './bundle/keys.js';

/** The media type of an in-toto Statement in a DSSE envelope. */
const payloadType = 'application/vnd.in-toto+json';

interface Statement {
  readonly _type: 'https://in-toto.io/Statement/v1';
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: object;
}

const results = { conformant: 'PASSED', nonconformant: 'FAILED', incomplete: 'FAILED' } as const;
const hexOf = (digest: string): string => digest.replace(/^sha256:/, '');

/** The predicate `test-result/v0.1` of in-toto: which requirements passed, and by which suite, list of requirements and document. */
function testResult(report: Report, manifest: Manifest): object {
  const idsOf = (verdict: string): string[] =>
    report.requirements.filter((one) => one.verdict === verdict).map((one) => one.id);
  const configuration = [
    { name: `dealership-conformance ${manifest.suite.version}`, digest: { sha256: hexOf(manifest.suite.packed) } },
    { name: 'requirements', digest: { sha256: hexOf(manifest.suite.catalogue) } },
    ...(manifest.contract.served === null
      ? []
      : [{ name: 'OpenAPI document', digest: { sha256: hexOf(manifest.contract.served) } }]),
  ];
  const warned = idsOf('warn');
  const result = results[report.outcome];
  return {
    result: result === 'PASSED' && warned.length > 0 ? 'WARNED' : result,
    configuration,
    passedTests: idsOf('pass'),
    warnedTests: warned,
    failedTests: ['fail', 'blocked', 'error'].flatMap(idsOf),
  };
}

/** The predicate `svr/v0.1` of in-toto: the levels that a verification found to be granted, such as `DEALERSHIP_LIMITS_FRANCHISE`. */
function verificationResult(manifest: Manifest, levels: Manifest['levels'], key: KeyObject, when: string): object {
  const granted = levels.filter((level) => level.standing === 'granted');
  return {
    verifier: { id: `urn:dealership-conformance:verifier:${fingerprint(key)}` },
    timeCreated: when,
    properties: granted.map(({ name }) => `DEALERSHIP_${name.toUpperCase().replace(/[^A-Z]+/g, '_')}`),
    ...(manifest.validUntil === undefined ? {} : { validUntil: manifest.validUntil }),
  };
}

/** A Statement in a DSSE envelope, signed with Ed25519 (secure-systems-lab/dsse, protocol 1.0.0). */
function envelopeOf(statement: Statement, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  return `${JSON.stringify({
    payload: payload.toString('base64'),
    payloadType,
    signatures: [{ keyid: fingerprint(key), sig: sign(null, signed, key).toString('base64') }],
  })}\n`;
}

/**
 * What a bundle says, for the policy engines of others: file name and content of each attestation. The subject is the bundle `name`. The
 * predicates alone are for tools that make and sign the statement themselves.
 */
export function attestationsOf(
  archive: Buffer,
  parts: {
    readonly name: string;
    readonly report: Report;
    readonly manifest: Manifest;
    /** What the verification found: another suite's manifest may state other levels. */
    readonly levels: Manifest['levels'];
    readonly key: KeyObject;
  },
  when = new Date(),
): ReadonlyMap<string, string> {
  const { name, report, manifest, levels, key } = parts;
  const subject = [{ name, digest: { sha256: hexOf(digestOf(archive)) } }];
  const predicates = {
    'test-result': { version: 'v0.1', predicate: testResult(report, manifest) },
    svr: { version: 'v0.1', predicate: verificationResult(manifest, levels, key, when.toISOString()) },
  };
  return new Map(
    Object.entries(predicates).flatMap(([type, { version, predicate }]): [string, string][] => {
      const predicateType = `https://in-toto.io/attestation/${type}/${version}`;
      const statement: Statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
      return [
        [`${type}.dsse.json`, envelopeOf(statement, key)],
        [`${type}.predicate.json`, `${JSON.stringify(predicate, null, 2)}\n`],
      ];
    }),
  );
}

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};

/** A request for a time stamp on these bytes (RFC 3161, section 2.4.1): SHA-256, with the authority's certificate, without a nonce. */
export function timeStampRequest(bytes: Buffer): Buffer {
  const sha256 = der(0x30, der(0x06, Buffer.from('608648016503040201', 'hex')), der(0x05));
  const imprint = der(0x30, sha256, der(0x04, createHash('sha256').update(bytes).digest()));
  return der(0x30, der(0x02, Buffer.from([1])), imprint, der(0x01, Buffer.from([0xff])));
}

/** Whether a response (RFC 3161, section 2.4.2) grants a time stamp on these bytes. Who signed it is for `openssl ts -verify` to say. */
export function grantsTimeStamp(response: Buffer, bytes: Buffer): boolean {
  // TimeStampResp: SEQUENCE { PKIStatusInfo: SEQUENCE { status INTEGER (0 granted, 1 with changes), … }, token }.
  const outer = response[1] ?? 0;
  const at = 2 + (outer > 0x80 ? outer - 0x80 : 0);
  const granted = response[0] === 0x30 && response[at] === 0x30 && response[at + 2] === 0x02 && response[at + 3] === 1;
  const status = response[at + 4] ?? 9;
  return granted && status <= 1 && response.includes(createHash('sha256').update(bytes).digest());
}
