import { countsOf, type Report, type RequirementResult } from '../requirement/index.js';
import { escape } from './html/html-markup.js';
import { blockedByReason, judgedText, namesOf, outdatedWaiverResults, withoutSharedReasons } from './judged.js';
import { bySection, sectionTitle } from './sections.js';
import { brief } from '../visible.js';

const longest = 8_000;

/**
 * Text for an attribute or an element: what XML 1.0 forbids is written out, what it reserves is escaped. Readers look for
 * `[[ATTACHMENT|path]]` and `[[PROPERTY|name=value]]` in any text, so those of the service lose a bracket.
 */
function xml(text: string): string {
  return escape(brief(text, longest).replace(/\[\[(?=\/?[A-Z]+[|\]])/g, '[\\['));
}

function story(result: RequirementResult): string {
  const lines = [`level: ${result.level}`, `source: ${result.source}`];
  const [finding, ...more] = result.findings;
  if (finding !== undefined) {
    lines.push('', `expected: ${finding.expected}`, `actual: ${finding.actual}`);
    if (finding.curl !== undefined) lines.push(`curl: ${finding.curl}`);
    if (finding.replay !== undefined) lines.push(`replay: ${finding.replay}`);
    if (finding.exchanges.length > 0) lines.push(`exchanges: ${finding.exchanges.join(', ')}`);
  }
  if (more.length > 0) lines.push('', `${more.length} more like it are in conformance.html and conformance.json`);
  return lines.map(xml).join('\n');
}

function inside(result: RequirementResult): string {
  const reason = xml(result.reason);
  if (result.verdict === 'fail')
    return `<failure message="${reason}" type="${xml(result.level)}">${story(result)}</failure>`;
  if (result.verdict === 'error' || result.verdict === 'blocked') {
    return `<error message="${reason}" type="${result.verdict}">${story(result)}</error>`;
  }
  if (result.verdict === 'warn') return `<system-out>warning: ${reason}\n${story(result)}</system-out>`;
  return result.verdict === 'not-applicable' || result.verdict === 'waived' ? `<skipped message="${reason}"/>` : '';
}

/** Seconds that checks took together, to the millisecond. */
function secondsOf(results: readonly RequirementResult[]): string {
  return results.reduce((sum, { seconds = 0 }) => sum + seconds, 0).toFixed(3);
}

/** A case for each reason for which several requirements are blocked. */
function sharedCases(results: readonly RequirementResult[]): RequirementResult[] {
  const shared = blockedByReason(results).filter((group) => group.results.length > 1);
  return shared.map((group) => ({
    ...group.results[0],
    ...{ section: 'blocked', findings: [], seconds: 0, requests: 0 },
    id: `${group.results.length} requirements`,
    title: 'are blocked for one reason',
    reason: group.text,
    source: namesOf(group),
  }));
}

function tally(results: readonly RequirementResult[]): string {
  const counts = countsOf(results);
  return `tests="${results.length}" failures="${counts.fail}" errors="${counts.error + counts.blocked}"`;
}

function property(name: string, value: string | number): string {
  return `      <property name="${name}" value="${xml(String(value))}"/>`;
}

/** The lines of one suite: of a section, or of what no section holds. */
function suiteLines(
  name: string,
  results: readonly RequirementResult[],
  { started, seed, suite, target }: Report,
): string[] {
  const counts = countsOf(results);
  const cases = results.map((result) => {
    const title = xml(`${result.id} ${result.title}`);
    return `    <testcase classname="${xml(result.section)}" name="${title}" time="${secondsOf([result])}">${inside(result)}</testcase>`;
  });
  return [
    `  <testsuite name="${xml(name)}" ${tally(results)} skipped="${counts['not-applicable'] + counts.waived}" time="${secondsOf(results)}" timestamp="${xml(started)}">`,
    '    <properties>',
    property('target', target.baseUrl),
    property('suite', suite.version),
    property('seed', seed),
    '    </properties>',
    ...cases,
    '  </testsuite>',
  ];
}

/**
 * `junit.xml`: one suite per section, one case per requirement; warnings pass and say so in their output. The last suite says how much was
 * judged; a reason that several requirements share is an error there, once, and they are skipped.
 */
export function renderJUnit(report: Report): string {
  const { requirements, sections } = report;
  const unjudged = [...sharedCases(requirements), ...outdatedWaiverResults(report)];
  const cases = withoutSharedReasons(requirements, requirements).map((result, at): RequirementResult =>
    result.reason === requirements[at]?.reason ? result : { ...result, verdict: 'not-applicable' },
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="dealership-conformance" ${tally([...cases, ...unjudged])} time="${report.seconds.toFixed(3)}">`,
    ...[...bySection(cases, sections)].flatMap(([section, results]) =>
      suiteLines(`${section} ${sectionTitle(section, sections)}`.trimEnd(), results, report),
    ),
    ...suiteLines(judgedText(requirements), unjudged, report),
    '</testsuites>',
    '',
  ].join('\n');
}
