import { mostFindings } from './fingerprint.js';
import type { RequirementResult, Verdict } from './types.js';

const worstFirst: readonly Verdict[] = ['fail', 'error', 'blocked', 'waived', 'warn', 'pass', 'not-applicable'];

/** One result per id where several checks share one: the worst verdict, all findings. */
export function mergeResults(results: readonly RequirementResult[]): RequirementResult[] {
  const byId = new Map<string, RequirementResult>();
  for (const result of results) {
    const known = byId.get(result.id);
    if (known === undefined) {
      byId.set(result.id, result);
      continue;
    }
    const [worse, other] =
      worstFirst.indexOf(result.verdict) < worstFirst.indexOf(known.verdict) ? [result, known] : [known, result];
    byId.set(result.id, {
      ...worse,
      findings: [...worse.findings, ...other.findings].slice(0, mostFindings),
      requests: worse.requests + other.requests,
      ...(worse.seconds === undefined && other.seconds === undefined
        ? {}
        : { seconds: (worse.seconds ?? 0) + (other.seconds ?? 0) }),
    });
  }
  return [...byId.values()];
}
