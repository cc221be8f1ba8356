import { createHash } from 'node:crypto';
import type { Report } from '../../requirement/types.js';
import { brief } from '../visible.js';
import type { Anchor } from './anchor.js';
import { targetId, violationsOf } from './violations.js';

/** `gl-code-quality-report.json`: failures and warnings for the Code Quality widget of GitLab, which knows no waivers. */
export function renderCodeQuality(report: Report, { path, lineOf }: Anchor): string {
  const issues = violationsOf(report)
    .filter(({ verdict }) => verdict !== 'waived')
    .map((result) => ({
      description: brief(`${result.id}: ${result.title}. ${result.reason}`, 1_000),
      check_name: result.id,
      // GitLab shows one of several issues with the same fingerprint, also of two services.
      fingerprint: createHash('sha256')
        .update(`${targetId(report)}\n${result.id}`)
        .digest('hex'),
      severity: result.verdict === 'fail' ? 'major' : 'minor',
      location: { path, lines: { begin: lineOf(result) } },
    }));
  return `${JSON.stringify(issues, null, 2)}\n`;
}
