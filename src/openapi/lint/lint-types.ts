/** One thing that is wrong with a document; `id` is the requirement that it belongs to. */
export interface LintFinding {
  readonly id: 'DOC-02' | 'DOC-03' | 'DOC-04' | 'DOC-05' | 'DOC-07' | 'DOC-08';
  /** A `note` says nothing against the document. */
  readonly severity: 'fail' | 'warn' | 'note';
  /** The kind of breach, as in a finding. */
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  /** The place in the document; empty for the whole. */
  readonly pointer: string;
}

/** The findings of one requirement, and what adds one. */
export function findingsOf(id: LintFinding['id'], severity: LintFinding['severity'] = 'fail') {
  const findings: LintFinding[] = [];
  const breach = (pointer: string, code: string, expected: string, actual: string): void =>
    void findings.push({ id, severity, code, expected, actual, pointer });
  return { findings, breach };
}
