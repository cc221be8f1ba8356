import { judgeLimits, run, startReference, type LimitedRequest, type Reporter } from 'dealership-conformance';
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

// Forty requests in 1.6 s, all accepted, where ten a second are sold.
const requests: LimitedRequest[] = Array.from({ length: 40 }, (_, at) => ({
  sentMs: at * 40,
  receivedMs: at * 40 + 5,
  status: 200,
}));
const { conforms, breaches } = judgeLimits(requests, [{ count: 10, windowSeconds: 1 }]);
console.log(conforms ? 'the limit is kept' : breaches[0]?.actual);
