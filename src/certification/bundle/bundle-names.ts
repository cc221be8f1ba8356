/** The files that a bundle holds beside the evidence, in order. */
export const bundleNames = {
  manifest: 'manifest.json',
  signature: 'manifest.jws.json',
  page: 'certificate.html',
  badge: 'badge.svg',
  report: 'conformance.json',
  reportPage: 'conformance.html',
  junit: 'junit.xml',
  run: 'evidence/run.json',
  pinned: 'evidence/contract.json',
  product: 'product.yaml',
} as const;

/** The recorded traces of the limit checks, where a bundle or an evidence folder has them. */
export const tracesFile = 'evidence/recorded-limit-traces.json';

const evidenceName =
  /^evidence\/(exchanges-\d{5}-[0-9a-f]{8}\.ndjson(\.br|\.gz)?|recorded-[A-Za-z0-9-]{1,80}\.json|run\.json|contract\.json)$/;
const loadName = /^load\/[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/;

/** Whether a bundle may hold a file of this name: nothing in it leads out of a folder. */
export function mayHold(name: string): boolean {
  return (Object.values(bundleNames) as string[]).includes(name) || evidenceName.test(name) || loadName.test(name);
}
