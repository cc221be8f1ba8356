export { githubAnnotations } from './annotations.js';
export { looks, outcomeLine, outcomeText, painter, safe, sharedReasonLines, tally } from './console-format.js';
export { consoleReporter, type ConsoleStream, wantsColour } from './console-reporter.js';
export { readEvidence } from './evidence/evidence-reader.js';
export { clearEvidence, evidenceFiles, openEvidence } from './evidence/evidence-writer.js';
export { unpacked } from './evidence/packing.js';
export { prose } from './formats/markdown-text.js';
export { renderMarkdown } from './formats/markdown.js';
export { toHar } from './har.js';
export {
  badge,
  blockMarkup,
  command,
  copyButton,
  factsMarkup,
  link,
  type PageParts,
  renderPage,
  type Table,
  tableBlock,
  wrap,
} from './html/components.js';
export { shownShort } from './html/html-ids.js';
export { copyScript } from './html/html-script.js';
export { type Content, html, Markup, shown } from './html/html-markup.js';
export { renderHtml } from './html/html-page.js';
export {
  blockedByReason,
  blockedTexts,
  changesText,
  isJudged,
  judgedText,
  namesOf,
  openings,
  openingTexts,
  sharedCauses,
  type SinceBaseline,
  toldChanges,
  type VerdictChange,
} from './judged.js';
export { renderJUnit } from './junit.js';
export type { Reporter, RunPlan } from './reporter.js';
export { bySection } from './sections.js';
export { shownExchanges } from './shown-exchanges.js';
export {
  allReports,
  recordedFile,
  type ReportFile,
  reportFiles,
  writeRecorded,
  writeReports,
} from './write-reports.js';
