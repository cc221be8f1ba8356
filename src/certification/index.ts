export { applyWaivers, waivedResult } from './apply-waivers.js';
export { drawBadge } from './badge.js';
export { fingerprint, parsePublicKey, readKey, writeKeyPair } from './bundle/keys.js';
export { digestOf, type Manifest } from './bundle/manifest.js';
export { openBundle } from './bundle/open-bundle.js';
export { readRunFile } from './bundle/read-run-file.js';
export { type BundleParts, writeBundle } from './bundle/write-bundle.js';
export { renderCertificate } from './certificate-page.js';
export { type Baseline, readBaseline, sinceBaseline } from './compare/baseline.js';
export { renderComparison, renderTable } from './compare/compare-page.js';
export { compareReports } from './compare/compare.js';
export { dropEarlier, earlierPage, putBack, setAside } from './compare/earlier-report.js';
export { grantedNames, levelNames, requiredEntries } from './levels.js';
export { loadReport } from './load-report.js';
export { parsePolicy, readPolicy, validUntil } from './policy.js';
export {
  assertAddress,
  hasAddress,
  parseProduct,
  pathOf,
  type Product,
  productSchema,
  readProduct,
} from './product.js';
export { parseWaivers, readWaivers, type Waiver } from './read-waivers.js';
export { parseReport } from './read-report.js';
export { chooseSet, firstSet } from './requirement-sets.js';
export { grantedText } from './statement.js';
export { concludeVerification } from './verify/conclusion.js';
export { describeVerification } from './verify/describe-verification.js';
export { reasonsBefore } from './verify/refusals.js';
export { assertGenerator, type Verification, verifyBundle } from './verify/verify-bundle.js';
export { type FileSchema, parseYamlAs } from './schema-file.js';
