import type { Level, Report, RequirementResult } from '../../requirement/types.js';
import { explainSource, levelMeanings } from '../../requirement/explain-source.js';
import { outdatedWaiverResults } from '../judged.js';
import { brief } from '../visible.js';
import type { Anchor } from './anchor.js';
import { targetId, violationsOf } from './violations.js';

/** The longest description that GitHub shows, in characters. */
const longest = 1_000;

/** Text for a SARIF message, which reads `[text](target)` as a link. */
function plain(text: string): string {
  return brief(text, longest).replaceAll('](', '] (');
}

const levels = { MUST: 'error', DECLARED: 'error', SHOULD: 'warning', OBSERVE: 'note' } as const satisfies Record<
  Level,
  string
>;

function ruleOf({ id, section, level, title, source }: RequirementResult): object {
  const help = `${level}: ${levelMeanings[level]}. Source: ${explainSource(source)}.`;
  const examples = ` "npx dealership-conformance explain ${id}" shows examples of a violation.`;
  return {
    id,
    shortDescription: { text: plain(title) },
    fullDescription: { text: plain(`${title} (${level}, ${source})`) },
    help: { text: `${plain(help)}${section === '' ? '' : examples}` },
    defaultConfiguration: { level: levels[level] },
    properties: { tags: [...new Set(['conformance', section, level])].filter(Boolean) },
  };
}

function resultOf(result: RequirementResult, ruleIndex: number, { path, lineOf }: Anchor): object {
  const { id, verdict, reason, findings } = result;
  const more = findings.length > 1 ? ` ${findings.length - 1} more like it are in conformance.html.` : '';
  return {
    ruleId: id,
    ruleIndex,
    // GitHub opens an alert for a suppressed result as well; as a note, it fails no check.
    level: verdict === 'waived' ? 'note' : verdict === 'fail' ? 'error' : 'warning',
    message: { text: `${plain(`${result.title}: ${reason}`)}${more}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: lineOf(result) },
        },
      },
    ],
    // The action of GitHub that uploads the file adds the hash of the line, and warns where it is there with another value.
    partialFingerprints: { 'requirement/v1': id },
    ...(verdict === 'waived'
      ? { suppressions: [{ kind: 'external', status: 'accepted', justification: plain(reason) }] }
      : {}),
  };
}

/** What was not judged, as notifications: their results say nothing about the service. */
function invocationOf({ requirements, started, seconds }: Report): object {
  const open = requirements.filter(({ verdict }) => verdict === 'blocked' || verdict === 'error');
  return {
    executionSuccessful: open.length === 0,
    startTimeUtc: started,
    endTimeUtc: new Date(Date.parse(started) + Math.round(seconds * 1000)).toISOString(),
    toolExecutionNotifications: open.map(({ id, verdict, reason }) => ({
      level: 'error',
      message: { text: plain(`${verdict}: ${reason}`) },
      associatedRule: { id, index: requirements.findIndex((one) => one.id === id) },
    })),
  };
}

/** `conformance.sarif`: failures and warnings as SARIF 2.1.0, one result for each requirement. */
export function renderSarif(report: Report, anchor: Anchor): string {
  const rules = [...report.requirements, ...outdatedWaiverResults(report)];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'dealership-conformance',
            semanticVersion: report.suite.version,
            rules: rules.map(ruleOf),
          },
        },
        // Results of two services stay two sets: the text before the last slash is the category.
        automationDetails: { id: `dealership-conformance/${targetId(report)}/` },
        invocations: [invocationOf(report)],
        results: violationsOf(report).map((result) =>
          resultOf(
            result,
            rules.findIndex(({ id }) => id === result.id),
            anchor,
          ),
        ),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}
