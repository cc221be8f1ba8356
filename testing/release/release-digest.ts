import { officialBuilds } from '../../src/certification/official-builds.js';
import { requirementSets } from '../../src/certification/requirement-sets.js';
import { suiteDigest } from '../../src/certification/suite-digest.js';
import { version } from '../../src/version.js';

// Prints the line of this version for releases.yaml; fails where that is not there, or where the newest requirement set is not released.
const digest = suiteDigest();
process.stdout.write(`${version}: ${digest}\n`);
if (officialBuilds()[version] !== digest) {
  process.stderr.write('releases.yaml does not have this line: expected it there before a release.\n');
  process.exitCode = 1;
}
const [newest] = requirementSets().slice(-1);
if (newest?.released !== 'yes') {
  process.stderr.write(
    `requirements/${newest?.set ?? ''}.yaml is not released: expected "released: yes" before a release.\n`,
  );
  process.exitCode = 1;
}
