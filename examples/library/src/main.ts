import { run, startReference, type Reporter } from 'dealership-conformance';
import ourPack from './our-pack.js';

// A service to judge: the reference service, with a fault.
const reference = await startReference({ faults: ['deal-id-number'] });

const lines: Reporter = {
  result: ({ id, verdict, reason }) => console.log(`${id} ${verdict}: ${reason}`),
};

try {
  const report = await run({
    settings: reference.settings,
    depth: 'gate',
    only: ['DEAL', 'OURS'],
    packs: [ourPack],
    reporters: [lines, 'junit'],
    out: 'reports',
    signal: AbortSignal.timeout(60_000),
  });
  console.log(report.outcome);
} finally {
  await reference.close();
}
